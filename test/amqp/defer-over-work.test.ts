// A coordinator whose handler runs over /work, and whose messages go through a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Worker } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { hire } from "../sdk/scene.ts";
import { amqpUrl, brokerScene, deadLetterSettings, skip } from "./scene.ts";

const split = "@global:operations:split";

test("a handler that defers to messages runs unchanged over /work, by requests and over RabbitMQ", {
  skip,
}, async () => {
  const broker = brokerScene();
  const [jobs, parts] = [await broker.queue(), await broker.queue()];
  const server = await restScene({
    ...{ "amqp-url": amqpUrl, "amqp-queues": JSON.stringify({ [jobs]: "job", [parts]: "operation" }) },
    "amqp-dead-letter": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER,
    "amqp-dead-letter-queue": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER_QUEUE,
  });
  const where = { url: server.url, token: server.admin.token };
  const stored: string[] = [];
  const add = (worker: Worker): void =>
    void worker
      .job(split, {}, (task) => {
        const messages = ["a", "ä€😀", "c"].map((word) => ({ queue: parts, operation: "store", payload: { word } }));
        task.defer({ messages });
      })
      .job("@global:operations:store", {}, ({ input }) => void stored.push((input as { word: string }).word));
  await hire(where, add, { link: "amqp", kind: "operation", queue: parts, amqpUrl }).start();
  for (const link of ["work", "rest", "amqp"] as const) {
    const about = link === "amqp" ? { link, kind: "job" as const, queue: jobs, amqpUrl } : { link };
    const { worker, endings } = await hire(where, add, about).start();
    const path = `/rooms/@global/tasks/${split}`;
    const { body } = await server.admin.post(path, { payload: {}, ...(link === "amqp" && { queue: jobs }) });
    const task = async () => (await server.admin.get(`/tasks/${body.id}`)).body;
    await until(`it is done, ${link}`, async () => (await task()).status === "completed", 15_000);
    const { total, done } = (await task()).children;
    assert.deepEqual([total, done, endings[0]?.ending], [3, 3, "deferred"]);
    assert.deepEqual(stored.splice(0).sort(), ["a", "c", "ä€😀"]);
    await worker.stop();
  }
});
