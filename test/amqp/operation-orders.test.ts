// Consumers of operations that an operator tells to take nothing, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { operationScene, store } from "./operation-scene.ts";
import { skip } from "./scene.ts";

for (const order of ["pause", "drain"] as const) {
  test(`a consumer that an operator tells to ${order} leaves its messages to others until it is resumed`, {
    skip,
  }, async () => {
    const { server, broker, queue, message, consumer, quiet } = await operationScene();
    const runs: unknown[] = [];
    const ends: (() => void)[] = [];
    const { ids, worker } = await consumer(
      (hired) =>
        hired.job(store, {}, ({ input }) => {
          runs.push(input);
          return new Promise<void>((resolve) => ends.push(resolve));
        }),
      { prefetch: 4 },
    );
    const obeyed = new Set<string>();
    worker.on("command", ({ type }) => void obeyed.add(type));
    const send = (n: number) => broker.send(queue, message(null, null, { n }));
    for (const n of [1, 2, 3]) await send(n);
    await until("one runs", () => runs.length === 1);
    await server.admin.post(`/workers/${ids[0]}/${order}`, {});
    await until("it has heard", () => obeyed.has(order), 10_000);
    await until("the others are in the queue again", async () => (await broker.depth(queue)) === 2, 10_000);
    await send(4);
    for (const end of ends) end();
    assert.equal(await broker.depth(queue), 3);
    assert.equal(runs.length, 1, "what is told to pause takes nothing");
    await server.admin.post(`/workers/${ids[0]}/resume`, {});
    const allRun = () => {
      for (const end of ends) end();
      return runs.length === 4;
    };
    await until("all run in turn", allRun, 10_000);
    await quiet(queue);
    assert.ok(obeyed.has(order) && obeyed.has("resume"));
  });
}
