// A job of which only so many tasks may run at a time, behind a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Worker } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { hire } from "../sdk/scene.ts";
import { amqpUrl, brokerScene, deadLetterSettings, skip } from "./scene.ts";

const narrow = "@global:operations:narrow";
const wide = "@global:operations:wide";

async function aScene() {
  const broker = brokerScene();
  const queue = await broker.queue();
  const server = await restScene({
    ...{ "amqp-url": amqpUrl, "amqp-queues": JSON.stringify({ [queue]: "job" }) },
    "amqp-dead-letter": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER,
    "amqp-dead-letter-queue": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER_QUEUE,
  });
  const { operations } = server.serving;
  const submit = async (job: string): Promise<string> =>
    (await server.admin.post(`/rooms/@global/tasks/${job}`, { payload: {}, queue })).body.id;
  const status = async (id: string): Promise<string> => (await server.admin.get(`/tasks/${id}`)).body.status;
  /** Of this job may run so many. Submits one task, so that there is something to limit. */
  async function limited(maxRunning: number): Promise<string> {
    const id = await submit(narrow);
    const [lane] = operations.catalog.lanesOfJob(narrow) as [number];
    await operations.lanes.setLimits(lane, { paused: false, maxRunning });
    return id;
  }
  return { broker, queue, server, submit, status, limited };
}

test("of many consumers no more than may run do, and all tasks are done without a long wait", { skip }, async () => {
  const { server, queue, submit, status, limited } = await aScene();
  const ids = [await limited(2)];
  for (let n = 0; n < 11; n += 1) ids.push(await submit(narrow));
  let [running, most] = [0, 0];
  const handler = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((done) => setTimeout(done, 50));
    running -= 1;
  };
  const where = { url: server.url, token: server.admin.token };
  for (let n = 0; n < 3; n += 1) {
    const add = (worker: Worker): void => void worker.job(narrow, {}, handler);
    await hire(where, add, { link: "amqp", kind: "job", queue, amqpUrl, concurrency: 4 }).start();
  }
  await until(
    "all are done",
    async () => (await Promise.all(ids.map(status))).every((is) => is === "completed"),
    20_000,
  );
  assert.equal(most, 2);
});

test("a task for which there is no room stands in nobody's way, and runs when there is", { skip }, async () => {
  const { server, broker, queue, submit, status, limited } = await aScene();
  const first = await limited(1);
  const { body: other } = await server.admin.post("/workers", {});
  const job = { category: "operations", name: "narrow", worker_id: other.id };
  await server.admin.put("/rooms/@global/jobs", job);
  // A worker of another door has the only place, and the message of the next task is told by mistake.
  const { body: claimed } = await server.admin.post("/tasks/claim", { worker_id: other.id, start: true });
  assert.equal(claimed.task.id, first);
  const late = await submit(narrow);
  await broker.tell(queue, late);
  const passing = await submit(wide);
  await hire(
    { url: server.url, token: server.admin.token },
    (worker) => void worker.job(narrow, {}, () => null).job(wide, {}, () => null),
    { link: "amqp", kind: "job", queue, amqpUrl },
  ).start();
  await until("the other is done", async () => (await status(passing)) === "completed", 10_000);
  assert.equal(await status(late), "pending");
  await server.admin.patch(`/tasks/${first}`, { status: "completed", attempt: 1 });
  await until("it is done", async () => (await status(late)) === "completed", 15_000);
});
