// Consumers that are asked to end while their broker or their server does not answer, with a real broker
// (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Worker } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { leadhand, temporaryFolder } from "../leadhand-process.ts";
import { brokerProxy } from "./broker-proxy.ts";
import { consumerScene, operation } from "./consumer-scene.ts";
import { operationScene, storing } from "./operation-scene.ts";
import { proxy } from "./proxy.ts";
import { deadLetterSettings, skip } from "./scene.ts";

const hanging = (worker: Worker): void => void worker.job(operation, {}, () => new Promise<void>(() => undefined));
/** A consumer without them has to put such a task's message back. */
const forOthers = { labels: { gpu: "a100" } };
/** A second for what is not begun, one for handlers that heed their signal, two for the connection; and a slow machine. */
const endMsMax = 10_000;

async function ends(worker: Worker): Promise<void> {
  let isOver = false;
  void worker.stop({ drainMs: 100 }).then(() => {
    isOver = true;
  });
  await until("the worker has ended", () => isOver, endMsMax);
}

for (const how of ["is silent", "has gone"] as const) {
  test(`a consumer whose broker ${how} while it puts a message back ends in time, and its tasks go back`, {
    skip,
  }, async () => {
    const { server, broker, queue, submit, is, consumer } = await consumerScene();
    const gate = await brokerProxy();
    const [long, refused] = [await submit(), await submit({}, forOthers)];
    let asks = 0;
    const url = await proxy(server.url, async (path) => {
      if (path !== `/v1/tasks/${refused}`) return;
      asks += 1;
      // Then it has come round, and the consumer wants to rest.
      if (asks < 2) return;
      if (how === "has gone") gate.cut();
      gate.silence();
    });
    const { worker } = await consumer(hanging, { amqpUrl: gate.url, url, concurrency: 2 });
    await broker.tell(queue, long);
    await is(long, "running");
    await broker.tell(queue, refused);
    await until("it talks to nobody", () => gate.swallowed() > 0, 10_000);
    await ends(worker);
    assert.equal((await server.admin.get(`/tasks/${long}`)).body.status, "pending");
  });
}

test("a consumer whose server is silent about a task that it may not have ends in time, and its tasks go back", {
  skip,
}, async () => {
  const { server, broker, queue, submit, is, consumer } = await consumerScene();
  const [long, refused] = [await submit(), await submit({}, forOthers)];
  let isAsked = false;
  const url = await proxy(server.url, async (path) => {
    if (path !== `/v1/tasks/${refused}`) return;
    isAsked = true;
    await new Promise(() => undefined);
  });
  const { worker } = await consumer(hanging, { url, concurrency: 2 });
  await broker.tell(queue, long);
  await is(long, "running");
  await broker.tell(queue, refused);
  await until("it asks", () => isAsked, 10_000);
  await ends(worker);
  assert.equal((await server.admin.get(`/tasks/${long}`)).body.status, "pending");
  await until("the other is in the queue again", async () => (await broker.depth(queue)) === 1, 10_000);
});

test("a task whose server is silent before its handler begins does not begin at the end, and goes back", {
  skip,
}, async () => {
  const { server, broker, queue, submit, is, consumer } = await consumerScene();
  const parent = await submit({}, forOthers);
  const runs: string[] = [];
  const url = await proxy(server.url, async (path) => {
    if (path === `/v1/tasks/${parent}`) await new Promise(() => undefined);
  });
  const { worker } = await consumer((hired) => void hired.job(operation, {}, ({ id }) => void runs.push(id)), { url });
  const child = await submit({}, { parent_id: parent });
  await broker.tell(queue, child);
  await is(child, "running");
  await ends(worker);
  await is(child, "pending");
  assert.deepEqual(runs, []);
});

test("an operation whose parent the server is silent about does not begin at the end", { skip }, async () => {
  const { server, broker, queue, coordinator, message, consumer } = await operationScene();
  const parent = await coordinator(1);
  const runs: unknown[] = [];
  let isAsked = false;
  const url = await proxy(server.url, async (path) => {
    if (path !== `/v1/tasks/${parent}`) return;
    isAsked = true;
    await new Promise(() => undefined);
  });
  const { worker } = await consumer(storing(runs), { url });
  await broker.send(queue, message(parent, 0));
  await until("it asks", () => isAsked, 10_000);
  await ends(worker);
  await until("it is in the queue again", async () => (await broker.depth(queue)) === 1, 10_000);
  assert.deepEqual(runs, []);
});

test("a process whose broker is silent ends by itself when it is told to", { skip }, async () => {
  const { server, broker, queue, submit } = await consumerScene();
  const gate = await brokerProxy();
  const refused = await submit({}, forOthers);
  const url = await proxy(server.url, async (path) => {
    if (path === `/v1/tasks/${refused}`) gate.silence();
  });
  const file = join(await temporaryFolder(), "jobs.mjs");
  writeFileSync(file, `export const jobs = [{ name: "${operation}", options: {}, handler: () => ({}) }];\n`);
  const { ended, child, err } = leadhand(["worker", file, "--queue", queue], {
    ...{ LEADHAND_URL: url, LEADHAND_TOKEN: server.admin.token, LEADHAND_AMQP_URL: gate.url },
    ...{ LEADHAND_AMQP_QUEUES: JSON.stringify({ [queue]: "job" }), ...deadLetterSettings },
  });
  await until("it is ready", () => err().includes("ready"), 20_000);
  await broker.tell(queue, refused);
  await until("it talks to nobody", () => gate.swallowed() > 0, 10_000);
  child.kill("SIGTERM");
  let code: number | NodeJS.Signals | null = null;
  void ended.then((said) => {
    code = said;
  });
  await until("it has ended", () => code !== null, endMsMax);
  assert.equal(code, 0, err());
});
