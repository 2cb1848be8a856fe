// Messages that an operation hands on to a queue that is none of operations, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueueMap } from "../../src/protocol/amqp/topology.ts";
import { until } from "../../src/testing/until.ts";
import { operationScene, store } from "./operation-scene.ts";
import { skip } from "./scene.ts";

/** Set while the consumer starts, which is when it reads it. */
async function withQueues<T>(queues: QueueMap, work: () => Promise<T>): Promise<T> {
  process.env["LEADHAND_AMQP_QUEUES"] = JSON.stringify(queues);
  try {
    return await work();
  } finally {
    delete process.env["LEADHAND_AMQP_QUEUES"];
  }
}

for (const [what, use] of [
  ["nobody mapped", undefined],
  ["is for tasks", "job"],
] as const) {
  test(`a message that is handed on to a queue which ${what} has failed, and its coordinator knows`, {
    skip,
  }, async () => {
    const { broker, queue, coordinator, message, is, told, consumer } = await operationScene();
    const wrong = await broker.queue();
    const map: QueueMap = { [queue]: "operation", ...(use !== undefined && { [wrong]: use }) };
    await withQueues(map, () =>
      consumer((worker) =>
        worker.job(store, {}, ({ defer }) => defer({ messages: [{ queue: wrong, operation: "store", payload: {} }] })),
      ),
    );
    const parent = await coordinator(1);
    await broker.send(queue, message(parent, 0));
    await is(parent, "failed");
    await until("it was told", async () => (await told(parent)).length === 1, 10_000);
    const [failed] = await told(parent);
    const about = { operation: "store", index: 0, code: "deferral-refused" };
    assert.deepEqual([failed?.event, failed?.fields], ["child.failed", about]);
    assert.ok(failed?.message?.includes(`'${wrong}'`));
    assert.equal(await broker.depth(wrong), 0);
  });
}
