// Sentences of the document that tell of the whole: of workers as processes, and of who looks after them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/server/config.ts";
import { until } from "../../src/testing/until.ts";
import {
  aJob,
  aWorker,
  block,
  type Caller,
  fleetScene,
  jobOf,
  minute,
  pingId,
  pinging,
  poll,
  second,
  stateOf,
} from "./scene.ts";

/** The SDK in a process of its own, once it is registered with its block. */
async function workerProcess(url: string, { token }: Caller) {
  const file = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
  const child = spawn(process.execPath, [file, url, token, pingId], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  await until("the worker is ready", () => out.includes("ready ") || child.exitCode !== null, 20_000);
  return {
    child,
    uuid: /ready (\S+)/.exec(out)?.[1] ?? assert.fail("The worker ended before it was ready"),
    out: () => out,
    ended,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

test("“Workers are processes running the Worker SDK that execute function blocks”", async () => {
  await using scene = await fleetScene();
  using worker = await workerProcess(scene.url, scene.owner);
  const id = await aJob(scene.owner, { parameters: { host: "10.0.0.1" } });
  await until("the job is pushed", async () => (await jobOf(scene.owner, id)).status === "pushed");
  const { result, workerUuid } = await jobOf(scene.owner, id);
  assert.deepEqual(result.data, { input: { host: "10.0.0.1" }, by: worker.child.pid });
  assert.equal(workerUuid, worker.uuid);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`“On SIGTERM/SIGINT, workers call POST /workers/:uuid/unregister”: on ${signal}`, async () => {
    await using scene = await fleetScene();
    using worker = await workerProcess(scene.url, scene.owner);
    assert.equal(await stateOf(scene.owner, worker.uuid), "ONLINE");
    worker.child.kill(signal);
    assert.equal(await worker.ended, 0);
    assert.match(worker.out(), /done/);
    const { state, unregisteredAt } = (await scene.owner.get(`/workers/${worker.uuid}`)).body;
    assert.deepEqual([state, unregisteredAt], ["OFFLINE", new Date(scene.clock.now()).toISOString()]);
    const { items } = (await scene.owner.get(`/v1/workers/${worker.uuid}/events`)).body;
    assert.ok(items.some(({ type }: { readonly type: string }) => type === "worker.unregistered"));
    const blocks = (await scene.owner.get(`/workers/${worker.uuid}/function-blocks`)).body;
    assert.equal(blocks[0].id, pingId, "its registrations are kept");
  });
}

test("“The engine tracks worker health, manages job assignment, and automatically handles unresponsive workers”", async () => {
  await using scene = await fleetScene();
  const blocks = [block({ policy: { onWorkerLost: "requeue" } })];
  const [silent, alive] = [await aWorker(scene.owner, blocks), await aWorker(scene.owner, blocks)];
  const [held, other] = [await aJob(scene.owner), await aJob(scene.owner)];
  assert.equal((await poll(scene.owner, silent)).jobs[0].id, held);
  assert.equal((await poll(scene.owner, alive)).jobs[0].id, other, "no job is given out twice");
  await scene.owner.post("/blackboard/job/result", {
    ...{ workerUuid: alive, jobId: other, success: true, resultData: {} },
  });
  await pinging(scene, alive, 6 * minute + 20 * second);
  assert.deepEqual([await stateOf(scene.owner, silent), await stateOf(scene.owner, alive)], ["OFFLINE", "ONLINE"]);
  assert.equal((await poll(scene.owner, alive)).jobs[0].id, held, "without anybody's doing");
});

test("“Use GET /workers/online to check how many workers are available”", async () => {
  await using scene = await fleetScene();
  const available = async () =>
    (await scene.owner.get("/workers/online")).body.map(({ uuid }: { readonly uuid: string }) => uuid).sort();
  assert.deepEqual(await available(), []);
  const [first, second_, third] = [await aWorker(scene.owner), await aWorker(scene.owner), await aWorker(scene.owner)];
  assert.deepEqual(await available(), [first, second_, third].sort());
  await scene.owner.post(`/workers/${first}/unregister`);
  assert.deepEqual(await available(), [second_, third].sort());
  await pinging(scene, second_, 2 * minute);
  assert.deepEqual(await available(), [second_], "one that is silent is not available");
  await scene.owner.post(`/workers/${third}/ping`);
  assert.deepEqual(await available(), [second_, third].sort());
});

test("“If workers are frequently going UNREACHABLE, check network connectivity between workers and the engine”: how often is seen", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const headers = { authorization: `Bearer ${scene.admin.token}` };
  const counted = async () => {
    const text = await (await fetch(`${scene.url}/metrics`, { headers })).text();
    return Number(/^leadhand_worker_events_total\{type="worker.unreachable"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  for (let times = 0; times < 3; times += 1) {
    assert.equal(await counted(), times);
    await scene.pass(3 * minute);
    assert.equal(await stateOf(scene.owner, uuid), "UNREACHABLE");
    await scene.owner.post(`/workers/${uuid}/ping`);
  }
  assert.equal(await counted(), 3);
  await scene.pass(minute);
  const { items } = (await scene.owner.get(`/v1/workers/${uuid}/events`)).body;
  assert.deepEqual(
    items.map(({ type }: { readonly type: string }) => type).filter((type: string) => type !== "worker.registered"),
    [
      "worker.unreachable",
      "worker.online",
      "worker.unreachable",
      "worker.online",
      "worker.unreachable",
      "worker.online",
    ],
  );
});

test("“The engine runs a cleanup service every minute (BLACKBOARD_JOB_CHECK_INTERVAL)”: in milliseconds, and no less often by itself", () => {
  const sweepMs = (environment: Record<string, string>) => readConfig({ environment, flags: {} }).config.sweepMs;
  assert.equal(sweepMs({ BLACKBOARD_JOB_CHECK_INTERVAL: "60000" }), minute);
  assert.ok(sweepMs({}) <= minute);
});

for (const settings of [{}, { BLACKBOARD_JOB_CHECK_INTERVAL: "60000" }]) {
  const how = Object.keys(settings).length === 0 ? "as it comes" : "with the document's interval";
  test(`“The engine runs a cleanup service every minute”, ${how}: what a goodbye left behind, and a stuck job, fail within a minute`, async () => {
    await using scene = await fleetScene(settings);
    const [gone, hanging] = [await aWorker(scene.owner), await aWorker(scene.owner)];
    const [left, stuck] = [await aJob(scene.owner), await aJob(scene.owner)];
    assert.equal((await poll(scene.owner, gone)).jobs[0].id, left);
    assert.equal((await poll(scene.owner, hanging)).jobs[0].id, stuck);
    await scene.owner.post(`/workers/${gone}/unregister`);
    await scene.pass(minute);
    const leftover = await jobOf(scene.owner, left);
    assert.deepEqual([leftover.status, leftover.failureReason], ["failed", "WORKER_OFFLINE"]);
    await pinging(scene, hanging, 11 * minute - second);
    assert.equal((await jobOf(scene.owner, stuck)).status, "polled");
    await pinging(scene, hanging, minute);
    const { status, failureReason } = await jobOf(scene.owner, stuck);
    assert.deepEqual([status, failureReason], ["failed", "STUCK_JOB_TIMEOUT"]);
  });
}
