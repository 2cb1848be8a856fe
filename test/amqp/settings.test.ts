// The settings that are about consumers are heeded by consumers, each seen by what it does; with a real broker
// (LEADHAND_TEST_AMQP_URL) where it takes one.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { patience } from "../../src/sdk/amqp/patience.ts";
import { Fail, RetryLater } from "../../src/sdk/index.ts";
import { newKey } from "../../src/sdk/system.ts";
import { settings } from "../../src/server/settings/settings.ts";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";
import { consumerScene, operation } from "./consumer-scene.ts";
import { proxy } from "./proxy.ts";
import { amqpUrl, deadLetterSettings, skip } from "./scene.ts";

/** Set while the test's consumers start, which is when they read it. */
async function withSettings<T>(given: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  Object.assign(process.env, given);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(given)) delete process.env[name];
  }
}

test("a consumer reads the settings that the server has, and has the same defaults", () => {
  const { transient, publish, outOfMemory, retryLaterCapMs, reconnectMs, graceMs } = patience(() => null);
  const defaults = Object.fromEntries(Object.entries(settings).map(([name, { default: usual }]) => [name, usual]));
  assert.deepEqual(
    [transient.attempts, transient.baseMs, transient.capMs, publish.attempts, publish.capMs, reconnectMs],
    [
      ...[defaults["transientAttempts"], defaults["transientBaseMs"], defaults["transientCapMs"]],
      ...[defaults["publisherAttempts"], defaults["publisherCapMs"], defaults["consumerReconnectMs"]],
    ],
  );
  assert.deepEqual(
    [outOfMemory.attempts, outOfMemory.baseMs, outOfMemory.capMs, retryLaterCapMs, graceMs],
    [defaults["oomAttempts"], defaults["oomBaseMs"], defaults["oomCapMs"], defaults["retryLaterCapMs"], null],
  );
  const asked = new Set<string>();
  patience((name) => {
    asked.add(name);
    return null;
  });
  const known = Object.values(settings).flatMap(({ variables }) => variables);
  assert.deepEqual(
    [...asked].filter((name) => !known.includes(name)),
    [],
  );
  assert.equal(patience((name) => (name === "LEADHAND_OOM_RETRY_BASE_SECONDS" ? "0.5" : "")).outOfMemory.baseMs, 500);
});

test("LEADHAND_JOB_HEARTBEAT_INTERVAL_SECONDS: a lease is prolonged so often", { skip }, async () => {
  const { server, broker, queue, submit, is, consumer } = await consumerScene();
  const prolonged: string[] = [];
  const url = await proxy(server.url, async (path) => path.endsWith("/extend") && prolonged.push(path));
  let end = (): void => undefined;
  await withSettings({ LEADHAND_JOB_HEARTBEAT_INTERVAL_SECONDS: "1" }, () =>
    consumer((worker) => worker.job(operation, {}, () => new Promise<void>((resolve) => (end = resolve))), { url }),
  );
  const id = await submit();
  await broker.tell(queue, id);
  await is(id, "running");
  // Of 120 seconds; the first time would be after 30.
  await until("it is prolonged twice", () => prolonged.length >= 2, 10_000);
  end();
  await is(id, "completed");
});

test("LEADHAND_TRANSIENT_RETRY_…: so many tries, after such waits", { skip }, async () => {
  const { broker, queue, submit, is, consumer } = await consumerScene();
  const said = { LEADHAND_TRANSIENT_RETRY_ATTEMPTS: "6", LEADHAND_TRANSIENT_RETRY_BASE_SECONDS: "5" };
  let runs = 0;
  // With the default base alone the six tries would take half a minute.
  await withSettings({ ...said, LEADHAND_TRANSIENT_RETRY_CAP_SECONDS: "0.01" }, () =>
    consumer((worker) => {
      worker.job(operation, { retry: { maxAttempts: 1 } }, () => {
        runs += 1;
        throw Object.assign(new Error("deadlock"), { code: "40P01" });
      });
    }),
  );
  const id = await submit();
  await broker.tell(queue, id);
  await is(id, "failed");
  assert.equal(runs, 6);
});

test("LEADHAND_RETRY_LATER_CAP_SECONDS: no delay is longer", { skip }, async () => {
  const { server, broker, queue, submit, consumer } = await consumerScene();
  await withSettings({ LEADHAND_RETRY_LATER_CAP_SECONDS: "3" }, () =>
    consumer((worker) => {
      worker.job(operation, {}, () => {
        throw new RetryLater(60_000);
      });
    }),
  );
  const id = await submit();
  await broker.tell(queue, id);
  const task = async () => (await server.admin.get(`/tasks/${id}`)).body;
  await until("it waits", async () => (await task()).run_at !== null, 10_000);
  const { body } = await server.admin.get(`/tasks/${id}/events`);
  const released = body.items.findLast(({ type }: { type: string }) => type === "task.released");
  assert.equal(Date.parse((await task()).run_at) - Date.parse(released.at), 3_000);
});

test("LEADHAND_OOM_RETRY_…: so often an operation is tried again, after such waits", { skip }, async () => {
  const { broker, queue, consumer } = await consumerScene();
  let runs = 0;
  const said = { LEADHAND_OOM_RETRY_ATTEMPTS: "2", LEADHAND_OOM_RETRY_BASE_SECONDS: "60" };
  await withSettings({ ...said, LEADHAND_OOM_RETRY_CAP_SECONDS: "0.01" }, () =>
    consumer(
      (worker) => {
        worker.job(operation, {}, () => {
          runs += 1;
          throw new Fail("CUDA out of memory");
        });
      },
      { kind: "operation" },
    ),
  );
  await broker.send(queue, { operation: "rotate", payload: { key: newKey() } });
  await until("it is given up", async () => (await broker.deadLetters()).length === 1, 10_000);
  assert.equal(runs, 3);
});

for (const said of [
  { LEADHAND_PUBLISHER_ATTEMPTS: "1" },
  { LEADHAND_PUBLISHER_ATTEMPTS: "3", LEADHAND_PUBLISHER_CAP_SECONDS: "0.01" },
] as const) {
  test(`${Object.keys(said).at(-1)}: a message that cannot be handed on is soon put back`, { skip }, async () => {
    const { broker, queue, consumer } = await consumerScene();
    let runs = 0;
    // The broker lets nobody declare a queue of such a name. With the defaults one run would take 15 seconds.
    const { worker } = await withSettings(said, () =>
      consumer(
        (each) => {
          each.job(operation, {}, (task) => {
            runs += 1;
            task.defer({ messages: [{ queue: "amq.forbidden", operation: "store", payload: {} }] });
          });
        },
        { kind: "operation" },
      ),
    );
    await broker.send(queue, { operation: "rotate", payload: {} });
    await until("it was put back, and came again", () => runs >= 2, 8_000);
    await worker.stop({ drainMs: 0 });
  });
}

test("LEADHAND_CONSUMER_RECONNECT_SECONDS: a broker that is away is looked for so often", { skip }, async () => {
  let looks = 0;
  const door = createServer((socket) => {
    looks += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const { port } = door.address() as { port: number };
  const { consumer } = await consumerScene();
  const { worker } = await withSettings({ LEADHAND_CONSUMER_RECONNECT_SECONDS: "0.02" }, () =>
    consumer((each) => void each.job(operation, {}, () => null), { amqpUrl: `amqp://127.0.0.1:${port}` }),
  );
  // With the defaults it would be some three.
  await until("it has looked often", () => looks >= 12, 6_000);
  await worker.stop();
  door.close();
});

test("LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS: a job that takes longer goes back, and 143 is the end", {
  skip,
}, async () => {
  const { server, broker, queue, submit, is } = await consumerScene();
  const file = join(await temporaryFolder(), "jobs.mjs");
  const hang = `{ name: "${operation}", options: {}, handler: () => new Promise((done) => setTimeout(done, 60_000)) }`;
  writeFileSync(file, `export const jobs = [${hang}];`);
  const environment = {
    ...{ LEADHAND_URL: server.url, LEADHAND_TOKEN: server.admin.token, LEADHAND_AMQP_URL: amqpUrl },
    ...{ ...deadLetterSettings, LEADHAND_AMQP_QUEUES: JSON.stringify({ [queue]: "job" }) },
  };
  const grace = "LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS";
  const wrong = await run(["worker", file, "--queue", queue], { ...environment, [grace]: "soon" });
  assert.deepEqual([wrong.code, wrong.err.includes(`${grace}: "soon" is not a number of seconds`)], [2, true]);
  const worker = leadhand(["worker", file, "--queue", queue], { ...environment, [grace]: "0.2" });
  await until("it is ready", () => worker.err().includes("ready"), 20_000);
  const id = await submit();
  await broker.tell(queue, id);
  await is(id, "running");
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 143);
  await is(id, "pending");
});
