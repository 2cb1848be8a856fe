import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/server/config.ts";
import {
  aJob,
  aWorker,
  block,
  type FleetScene,
  fleetScene,
  hour,
  jobOf,
  minute,
  pingId,
  pinging,
  poll,
  second,
  stateOf,
} from "./scene.ts";

const thresholds = {
  "2 min   UNREACHABLE (WORKER_UNREACHABLE_THRESHOLD_MS)": "fleetUnreachableMs",
  "6 min   OFFLINE (3x unreachable, WORKER_OFFLINE_THRESHOLD_MS)": "fleetLostMs",
  "12 min  Stuck jobs failed (2x offline, BLACKBOARD_STUCK_JOB_TIMEOUT)": "fleetStuckTaskMs",
  "24 h    Worker deleted (WORKER_OFFLINE_DELETE_THRESHOLD_MS)": "fleetRemovedMs",
} as const;

for (const [said, name] of Object.entries(thresholds)) {
  test(`“${said}”`, () => {
    const [, count, unit, variable] = /^(\d+) (min|h) .*?([A-Z_]{10,})\)$/.exec(said) ?? [];
    const ms = Number(count) * (unit === "h" ? hour : minute);
    const read = (environment: Record<string, string>) => readConfig({ environment, flags: {} }).config[name];
    assert.equal(read({}), ms);
    assert.equal(read({ [variable as string]: String(ms + 1) }), ms + 1);
    const unit3 = { WORKER_UNREACHABLE_THRESHOLD_MS: "60000" };
    const half = {
      fleetUnreachableMs: 60_000,
      fleetLostMs: 180_000,
      fleetStuckTaskMs: 360_000,
      fleetRemovedMs: 24 * hour,
    };
    assert.equal(read(unit3), half[name], "the derived ones follow the first");
  });
}

test("thresholds that do not increase are refused, and a slow heartbeat is warned of", () => {
  const read = (environment: Record<string, string>) => readConfig({ environment, flags: {} });
  assert.throws(() => read({ WORKER_OFFLINE_THRESHOLD_MS: "120000" }), /must be greater than/);
  assert.throws(() => read({ BLACKBOARD_STUCK_JOB_TIMEOUT: "360000" }), /must be greater than/);
  assert.deepEqual(read({}).warnings, []);
  assert.match(read({ LEADHAND_HEARTBEAT_INTERVAL: "41s" }).warnings[0] as string, /more than a third/);
});

test("“0 min   Worker stops pinging”, and one setting moves the whole cascade", async () => {
  await using scene = await fleetScene({ WORKER_UNREACHABLE_THRESHOLD_MS: "10000" });
  const uuid = await aWorker(scene.owner);
  for (const [ms, state] of [
    [9_999, "ONLINE"],
    [1, "UNREACHABLE"],
    [19_999, "UNREACHABLE"],
    [1, "OFFLINE"],
  ] as const) {
    await scene.pass(ms);
    assert.equal(await stateOf(scene.owner, uuid), state);
  }
});

test("“Workers register on startup via POST /workers/register and receive a UUID”", async () => {
  await using scene = await fleetScene();
  const { status, body } = await scene.owner.post("/workers/register");
  assert.equal(status, 201);
  assert.match(body.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  const words = { name: "lab-1", ipAddress: "10.0.0.7", hostname: "h", sdkVersion: "1.2.3" };
  const other = (await scene.owner.post("/workers/register", words)).body.uuid;
  assert.notEqual(other, body.uuid);
  const at = new Date(scene.clock.now()).toISOString();
  assert.deepEqual((await scene.owner.get(`/workers/${other}`)).body, {
    ...{ uuid: other, ...words, profile: "fleet", state: "ONLINE" },
    ...{ registeredAt: at, lastPingAt: at, unregisteredAt: null, deletedAt: null },
  });
});

test("“They then register their function blocks with this UUID, enabling the blackboard to route jobs to them”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner, []);
  assert.equal((await scene.owner.post("/blackboard/jobs", { functionBlock: pingId, parameters: {} })).status, 404);
  const words = { workerUuid: uuid, functionBlocks: [block({ runOn: "device", fbType: "check" })] };
  const { status, body } = await scene.owner.post("/function-blocks/register", words);
  assert.deepEqual([status, body], [200, { registered: [pingId], rejected: [] }]);
  assert.deepEqual((await scene.owner.get(`/workers/${uuid}/function-blocks`)).body, [
    { id: pingId, ...block({ runOn: "device", fbType: "check" }) },
  ]);
  const id = await aJob(scene.owner, { type: "ROLLBACK", parameters: { host: "a" }, context: { run: 7 } });
  assert.deepEqual((await poll(scene.owner, uuid)).jobs, [
    { id, type: "ROLLBACK", functionBlock: pingId, parameters: { host: "a" }, context: { run: 7 } },
  ]);
});

test("“Workers send periodic pings (POST /workers/:uuid/ping)”, and a worker that does stays ONLINE", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  await pinging(scene, uuid, 11 * minute);
  assert.equal(await stateOf(scene.owner, uuid), "ONLINE");
  assert.equal((await jobOf(scene.owner, id)).status, "polled");
});

test("polling is no sign of life, and neither is a push", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await scene.pass(minute);
  await poll(scene.owner, uuid);
  await scene.owner.post("/blackboard/job/result", { workerUuid: uuid, jobId: id, success: true, resultData: {} });
  await scene.pass(minute);
  assert.equal(await stateOf(scene.owner, uuid), "UNREACHABLE");
});

test("“If a ping returns 404 (worker was cleaned up)”: unknown, deleted, or no UUID at all", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await scene.owner.delete(`/workers/${uuid}`);
  for (const none of [uuid, "01993d6c-6c00-7000-8000-0a1b2c3d4e5f", "no-uuid"]) {
    const { status, body } = await scene.owner.post(`/workers/${none}/ping`);
    assert.deepEqual([status, body.type], [404, "/v1/problems/worker-not-found"]);
  }
});

test("“This immediately marks the worker as offline without deleting its function block registrations”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await scene.owner.post(`/workers/${uuid}/unregister`);
    assert.deepEqual([status, body], [200, { uuid, state: "OFFLINE" }], "it may be repeated");
  }
  const { state, unregisteredAt } = (await scene.owner.get(`/workers/${uuid}`)).body;
  assert.deepEqual([state, unregisteredAt], ["OFFLINE", new Date(scene.clock.now()).toISOString()]);
  assert.equal((await scene.owner.get(`/workers/${uuid}/function-blocks`)).body.length, 1);
  assert.match((await poll(scene.owner, uuid)).reason, /OFFLINE/);
  await scene.pass(minute);
  const job = await jobOf(scene.owner, id);
  assert.deepEqual([job.status, job.failureReason], ["failed", "WORKER_OFFLINE"], "leftovers fail with the sweep");
});

test("the last ping before a goodbye, or before a worker is deleted, stays its last ping", async () => {
  await using scene = await fleetScene();
  const seen = async (uuid: string) => (await scene.owner.get(`/workers/${uuid}?findDeleted=true`)).body.lastPingAt;
  const [leaving, unwanted] = [await aWorker(scene.owner), await aWorker(scene.owner)];
  await scene.pass(3 * second);
  const pinged = new Date(scene.clock.now()).toISOString();
  for (const uuid of [leaving, unwanted]) await scene.owner.post(`/workers/${uuid}/ping`);
  await scene.owner.post(`/workers/${leaving}/unregister`);
  await scene.owner.delete(`/workers/${unwanted}`);
  assert.deepEqual([await seen(leaving), await seen(unwanted)], [pinged, pinged]);
  const { items } = (await scene.owner.get("/v1/workers")).body;
  assert.equal(items[0].last_heartbeat, pinged);
});

test("“The worker can come back online later by re-registering and sending a ping”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await scene.owner.post(`/workers/${uuid}/unregister`);
  await scene.pass(10 * minute);
  const again = await scene.owner.post("/workers/register", { uuid, name: "lab-2" });
  assert.deepEqual([again.status, again.body.uuid, again.body.state], [201, uuid, "ONLINE"]);
  assert.equal((await scene.owner.post(`/workers/${uuid}/ping`)).status, 200);
  const { name, state, unregisteredAt } = (await scene.owner.get(`/workers/${uuid}`)).body;
  assert.deepEqual([name, state, unregisteredAt], ["lab-2", "ONLINE", null]);
  const id = await aJob(scene.owner);
  assert.equal((await poll(scene.owner, uuid)).jobs[0].id, id, "with its blocks");
});

test("a UUID that is another's, deleted or unknown is not revived: a new worker comes", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const other = await scene.caller("eve");
  for (const given of [uuid, "01993d6c-6c00-7000-8000-0a1b2c3d4e5f", "no-uuid"]) {
    const { status, body } = await other.post("/workers/register", { uuid: given });
    assert.equal(status, 201);
    assert.notEqual(body.uuid, given);
  }
});

/** A job that was polled, and after how long it failed. */
async function heldBy(scene: FleetScene, live: (uuid: string, ms: number) => Promise<void>, ms: number) {
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  await live(uuid, ms - 1 * second);
  assert.equal((await jobOf(scene.owner, id)).status, "polled");
  await live(uuid, 2 * second);
  const { status, failureReason } = await jobOf(scene.owner, id);
  return [status, failureReason];
}

test("“It finds jobs that have been in POLLED state longer than BLACKBOARD_STUCK_JOB_TIMEOUT (default: 12 minutes) and marks them as failed”", async () => {
  await using scene = await fleetScene();
  const alive = (uuid: string, ms: number) => pinging(scene, uuid, ms);
  assert.deepEqual(await heldBy(scene, alive, 12 * minute), ["failed", "STUCK_JOB_TIMEOUT"]);
});

test("“Workers that crash without graceful shutdown”", async () => {
  await using scene = await fleetScene();
  const silent = (_: string, ms: number) => scene.pass(ms);
  assert.deepEqual(await heldBy(scene, silent, 6 * minute), ["failed", "WORKER_OFFLINE"]);
});

test("“Network partitions between workers and the engine”: one that is back before it is OFFLINE keeps its jobs", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  await scene.pass(6 * minute - second);
  await scene.owner.post(`/workers/${uuid}/ping`);
  await scene.pass(minute);
  const push = { workerUuid: uuid, jobId: id, success: true, resultData: { late: true } };
  assert.equal((await scene.owner.post("/blackboard/job/result", push)).status, 200);
  assert.deepEqual((await jobOf(scene.owner, id)).result, { success: true, data: { late: true }, error: null });
});

test("“Worker processes that hang during execution”: with stuckJobBasis lastProgressAt, one that tells of progress does not hang", async () => {
  await using scene = await fleetScene({ BLACKBOARD_STUCK_JOB_BASIS: "lastProgressAt" });
  const uuid = await aWorker(scene.owner);
  const [talking, silent] = [await aJob(scene.owner), await aJob(scene.owner)];
  await poll(scene.owner, uuid, 2);
  const started = await fetch(`${scene.url}/v1/tasks/${talking}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${scene.owner.token}` },
    body: JSON.stringify({ status: "running" }),
  });
  assert.equal(started.status, 200);
  for (let n = 1; n <= 2; n += 1) {
    await pinging(scene, uuid, 10 * minute);
    await scene.owner.post(`/v1/tasks/${talking}/progress`, { current: n, total: 3 });
  }
  assert.equal((await jobOf(scene.owner, talking)).status, "polled");
  assert.equal((await jobOf(scene.owner, silent)).failureReason, "STUCK_JOB_TIMEOUT");
  await pinging(scene, uuid, 13 * minute);
  assert.equal((await jobOf(scene.owner, talking)).failureReason, "STUCK_JOB_TIMEOUT");
});

test("nothing is failed for the engine's own downtime: what was done in time meanwhile may be pushed after a start", async () => {
  await using scene = await fleetScene();
  const back = await aWorker(scene.owner);
  const done = await aJob(scene.owner);
  await poll(scene.owner, back);
  await pinging(scene, back, 11 * minute);
  await scene.restart(2 * minute);
  await scene.pass(5 * second);
  const push = { workerUuid: back, jobId: done, success: true, resultData: { n: 1 } };
  assert.equal((await scene.owner.post("/blackboard/job/result", push)).status, 200);
  assert.equal((await jobOf(scene.owner, done)).status, "pushed");
});

test("nothing is failed for the engine's own downtime: after a start, nobody is judged before one unreachable threshold", async () => {
  await using scene = await fleetScene();
  const [back, gone] = [await aWorker(scene.owner), await aWorker(scene.owner)];
  const jobs = [await aJob(scene.owner), await aJob(scene.owner)] as const;
  await poll(scene.owner, back);
  await poll(scene.owner, gone);
  await scene.restart(8 * minute);
  await scene.pass(20 * second);
  await scene.owner.post(`/workers/${back}/ping`);
  await scene.pass(2 * minute - 21 * second);
  assert.deepEqual(await Promise.all(jobs.map(async (id) => (await jobOf(scene.owner, id)).status)), [
    "polled",
    "polled",
  ]);
  await scene.pass(3 * second);
  const [kept, lost] = await Promise.all(jobs.map((id) => jobOf(scene.owner, id)));
  assert.deepEqual([kept.status, lost.status, lost.failureReason], ["polled", "failed", "WORKER_OFFLINE"]);
});
