// The document's own queues, by their names, with a real broker (LEADHAND_TEST_AMQP_URL): nobody else may use these names there.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Connection } from "rabbitmq-client";
import { documentQueues, serialQueues } from "../../src/protocol/amqp/topology.ts";
import type { Worker } from "../../src/sdk/index.ts";
import { leadhand, run } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { the } from "../rest/workshop.ts";
import { type HireOptions, hire } from "../sdk/scene.ts";
import { patiently } from "./document-scene.ts";
import { amqpUrl, brokerScene, deadLetterSettings, skip } from "./scene.ts";

describe("the document's queues", { skip, concurrency: 2 }, async () => {
  if (skip) return;
  const broker = brokerScene();
  const cleaning = new Connection(amqpUrl);
  const forget = async (): Promise<void> => {
    for (const queue of Object.keys(documentQueues)) await cleaning.queueDelete(queue);
  };
  await forget();
  after(async () => {
    await forget();
    await cleaning.close();
  });
  // The server is told nothing of queues, and no consumer what its messages are: both go by the document's map.
  const server = await restScene({
    "amqp-url": amqpUrl,
    "amqp-dead-letter": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER,
    "amqp-dead-letter-queue": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER_QUEUE,
  });
  const { admin, url } = server;
  const submit = async (operation: string, queue: string): Promise<string> =>
    the(202, await admin.post(`/rooms/@global/tasks/@global:operations:${operation}`, { payload: {}, queue })).id;
  const consumer = (queue: string, add: (worker: Worker) => void = () => undefined, more: HireOptions = {}) =>
    hire({ url, token: admin.token }, add, { link: "amqp", queue, amqpUrl, concurrency: 4, ...more }).start();
  const is = (id: string, wanted: string) =>
    patiently(`${id} is ${wanted}`, async () => (await admin.get(`/tasks/${id}`)).body.status === wanted);

  it("“protea.ping: smoke test”: the built-in operation answers, from the server through the broker and back", async () => {
    const { ids, worker } = await consumer("protea.ping");
    const id = await submit("ping", "protea.ping");
    await is(id, "completed");
    assert.deepEqual((await admin.get(`/tasks/${id}`)).body.worker_id, ids[0]);
    await worker.stop();

    // As an operator does it: two commands, without a file, and without a word of the queue to whoever submits.
    const environment = { LEADHAND_URL: url, LEADHAND_TOKEN: admin.token, LEADHAND_AMQP_URL: amqpUrl };
    const pinged = leadhand(["worker", "--queue", "protea.ping"], { ...environment, ...deadLetterSettings });
    await patiently("it is ready", () => pinged.err().includes("ready"));
    const { code, out, err } = await run(["submit", "@global:operations:ping", "--wait", "--json"], environment);
    assert.equal(code, 0, err);
    const { queue, result } = JSON.parse(out);
    assert.deepEqual([queue, result], ["protea.ping", { ok: true }]);
    pinged.child.kill("SIGTERM");
    assert.equal(await pinged.ended, 0);
  });

  for (const queue of ["protea.jobs", "protea.evaluations"]) {
    it(`“Reads a job UUID from the queue”: ${queue}`, async () => {
      await consumer(queue, (worker) => worker.job(`@global:operations:work_${queue.slice(7)}`, {}, () => ({ queue })));
      await is(await submit(`work_${queue.slice(7)}`, queue), "completed");
    });
  }

  for (const [queue, use] of Object.entries(documentQueues)) {
    if (use !== "operation") continue;
    it(`“Reads a raw serialised operation payload from the queue and executes it directly, without a Job row”: ${queue}`, async () => {
      const got: unknown[] = [];
      await consumer(queue, (worker) => worker.job("@global:operations:raw", {}, ({ input }) => void got.push(input)));
      await broker.send(queue, { operation: "raw", payload: { queue } });
      await patiently("it ran", () => got.length > 0);
      assert.deepEqual(got, [{ queue }]);
    });
  }

  for (const queue of serialQueues) {
    it(`“serialised … coordinator”: ${queue} runs one job at a time, however many consumers it has`, async () => {
      const name = `coordinate_${queue.slice(7)}`;
      const ends: (() => void)[] = [];
      const busy = (worker: Worker): void =>
        void worker.job(`@global:operations:${name}`, {}, () => new Promise<void>((resolve) => ends.push(resolve)));
      await consumer(queue, busy);
      await consumer(queue, busy);
      const tasks = await Promise.all([submit(name, queue), submit(name, queue), submit(name, queue)]);
      for (let round = 1; round <= tasks.length; round += 1) {
        await patiently("one runs", () => ends.length === round);
        const states = await Promise.all(tasks.map(async (id) => (await admin.get(`/tasks/${id}`)).body.status));
        assert.equal(states.filter((state) => state === "running").length, 1, `${states}`);
        ends.at(-1)?.();
      }
      for (const id of tasks) await is(id, "completed");
    });
  }

  it("“registers all operations at startup, making every worker capable of executing any operation routed to its queue”", async () => {
    const names = ["load_ontology", "load_annotations", "generate_evaluation_set"];
    const add = (worker: Worker): void => {
      for (const name of names) worker.job(`@global:operations:${name}`, {}, () => ({}));
    };
    const { ids } = await consumer("protea.training.other", add, { kind: "job" });
    for (const name of [...names, "ping"]) {
      const { workers } = the(200, await admin.get(`/rooms/@global/jobs/@global:operations:${name}`));
      assert.ok(workers.includes(ids[0]), name);
    }
    await cleaning.queueDelete("protea.training.other");
  });
});
