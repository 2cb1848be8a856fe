// A queue that its owner calls serial, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Connection } from "rabbitmq-client";
import type { Worker } from "../../src/sdk/index.ts";
import { newKey } from "../../src/sdk/system.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { type Hired, hire } from "../sdk/scene.ts";
import { amqpUrl, deadLetterSettings, skip } from "./scene.ts";

const operation = "@global:operations:fold";

/** A queue that is called serial, a server that knows, and consumers to hire. */
async function serialScene() {
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
  const where = { url: server.url, token: server.admin.token };
  return {
    ...{ server, queue, connection },
    hireOne: (add: (worker: Worker) => void): Promise<Hired> =>
      hire(where, add, { link: "amqp", kind: "serial", queue, amqpUrl, concurrency: 4, prefetch: 0 }).start(),
    submit: async (): Promise<string> =>
      (await server.admin.post(`/rooms/@global/tasks/${operation}`, { payload: {}, queue })).body.id,
  };
}

/** A job that takes long enough for another task to begin beside it, and what was seen of it. */
function slowJob() {
  let [begun, running, most, ended] = [0, 0, 0, 0];
  return {
    add: (worker: Worker): void =>
      void worker.job(operation, {}, async () => {
        begun += 1;
        running += 1;
        most = Math.max(most, running);
        await pause(1_500);
        running -= 1;
        ended += 1;
      }),
    begun: () => begun,
    ended: () => ended,
    most: () => most,
  };
}

test("a queue that is called serial runs one task at a time, however many consumers it has, and all declare it the same", {
  skip,
}, async () => {
  const { server, queue, connection, hireOne, submit } = await serialScene();
  const ends: (() => void)[] = [];
  const busy = (worker: Worker): void =>
    void worker.job(operation, {}, () => new Promise<void>((resolve) => ends.push(resolve)));
  for (let n = 0; n < 2; n += 1) await hireOne(busy);
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

for (const how of ["stopped", "paused"] as const) {
  test(`a serial queue runs one task at a time also while the consumer that has it is ${how}`, { skip }, async () => {
    const { server, hireOne, submit } = await serialScene();
    const job = slowJob();
    const hired = [await hireOne(job.add), await hireOne(job.add)];
    // One in hand, one that waits there, and one for whoever gets the queue.
    const [first] = [await submit(), await submit(), await submit()];
    await until("one runs", () => job.begun() === 1, 10_000);
    const { worker_id: busy } = (await server.admin.get(`/tasks/${first}`)).body;
    if (how === "paused") await server.admin.post(`/workers/${busy}/pause`, {});
    else void hired.find(({ ids }) => ids.includes(busy))?.worker.stop({ drainMs: 20_000 });
    await until("all have ended", () => job.ended() === 3, 20_000);
    assert.equal(job.most(), 1);
  });
}

test("an operator gives a consumer of a serial queue no more than one hand", { skip }, async () => {
  const { server, hireOne, submit } = await serialScene();
  const job = slowJob();
  const { worker, ids } = await hireOne(job.add);
  const heard = new Promise((resolve) => worker.on("command", resolve));
  await server.admin.post(`/workers/${ids[0]}/concurrency`, { value: 3 });
  await heard;
  for (let n = 0; n < 3; n += 1) await submit();
  await until("two have ended", () => job.ended() === 2, 20_000);
  assert.equal(job.most(), 1);
});

test("a consumer of a serial queue whose handler does not end leaves it all the same, with what waits in it", {
  skip,
}, async () => {
  const { server, hireOne, submit } = await serialScene();
  const hanging = (worker: Worker): void => void worker.job(operation, {}, () => new Promise<void>(() => undefined));
  const { worker } = await hireOne(hanging);
  const tasks = [await submit(), await submit()];
  const status = async (id = ""): Promise<string> => (await server.admin.get(`/tasks/${id}`)).body.status;
  await until("one runs", async () => (await status(tasks[0])) === "running", 10_000);
  await worker.stop({ drainMs: 100 });
  const job = slowJob();
  await hireOne(job.add);
  await until("both have ended", () => job.ended() === 2, 20_000);
});
