// A queue that its owner calls serial, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Connection } from "rabbitmq-client";
import type { Worker } from "../../src/sdk/index.ts";
import { newKey } from "../../src/sdk/system.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { hire } from "../sdk/scene.ts";
import { amqpUrl, deadLetterSettings, skip } from "./scene.ts";

const operation = "@global:operations:fold";

test("a queue that is called serial runs one task at a time, however many consumers it has, and all declare it the same", {
  skip,
}, async () => {
  const queue = `test.${newKey()}`;
  const connection = new Connection(amqpUrl);
  after(async () => {
    await connection.queueDelete(queue);
    await connection.close();
  });
  const server = await restScene({
    ...{ "amqp-url": amqpUrl, "amqp-queues": JSON.stringify({ [queue]: "serial" }) },
    "amqp-dead-letter": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER,
    "amqp-dead-letter-queue": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER_QUEUE,
  });
  const ends: (() => void)[] = [];
  const busy = (worker: Worker): void =>
    void worker.job(operation, {}, () => new Promise<void>((resolve) => ends.push(resolve)));
  const where = { url: server.url, token: server.admin.token };
  const about = { link: "amqp", kind: "serial", queue, amqpUrl, concurrency: 4 } as const;
  for (let n = 0; n < 2; n += 1) await hire(where, busy, about).start();
  const submit = async (): Promise<string> =>
    (await server.admin.post(`/rooms/@global/tasks/${operation}`, { payload: {}, queue })).body.id;
  const tasks = [await submit(), await submit(), await submit()];
  const states = async (): Promise<string[]> =>
    Promise.all(tasks.map(async (id) => (await server.admin.get(`/tasks/${id}`)).body.status));
  for (let round = 1; round <= tasks.length; round += 1) {
    await until("one runs", () => ends.length === round, 10_000);
    assert.equal((await states()).filter((state) => state === "running").length, 1);
    ends.at(-1)?.();
  }
  await until("all are done", async () => (await states()).every((state) => state === "completed"), 10_000);
  // A broker refuses what is not declared as it was first.
  const exchange = deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER;
  const same = { "x-dead-letter-exchange": exchange, "x-single-active-consumer": true };
  await connection.queueDeclare({ queue, durable: true, arguments: same });
});
