import assert from "node:assert/strict";
import { test } from "node:test";
import { aJob, aWorker, fleetScene, hour, jobOf, minute, pinging, poll, second, stateOf } from "./scene.ts";

test("“[*] --> ONLINE: register + heartbeat”", async () => {
  await using scene = await fleetScene();
  const { owner } = scene;
  const { status, body } = await owner.post("/workers/register", { name: "lab-1" });
  assert.deepEqual([status, body], [201, { uuid: body.uuid, state: "ONLINE", heartbeatIntervalMs: 20_000 }]);
  assert.equal(await stateOf(owner, body.uuid), "ONLINE");
  await scene.pass(90 * second);
  const pinged = await owner.post(`/workers/${body.uuid}/ping`);
  const lastPingAt = new Date(scene.clock.now()).toISOString();
  assert.deepEqual([pinged.status, pinged.body], [200, { uuid: body.uuid, state: "ONLINE", lastPingAt }]);
  await scene.pass(2 * minute - 1);
  assert.equal(await stateOf(owner, body.uuid), "ONLINE");
});

test("“ONLINE --> UNREACHABLE: no ping for 2 min”, “UNREACHABLE --> ONLINE: ping received”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await scene.pass(2 * minute - 1);
  assert.equal(await stateOf(scene.owner, uuid), "ONLINE");
  await scene.pass(1);
  assert.equal(await stateOf(scene.owner, uuid), "UNREACHABLE", "the threshold itself belongs to the later state");
  await scene.owner.post(`/workers/${uuid}/ping`);
  assert.equal(await stateOf(scene.owner, uuid), "ONLINE");
});

test("“UNREACHABLE --> OFFLINE: no ping for 6 min”, “OFFLINE --> ONLINE: ping received”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await scene.pass(6 * minute - 1);
  assert.equal(await stateOf(scene.owner, uuid), "UNREACHABLE");
  await scene.pass(1);
  assert.equal(await stateOf(scene.owner, uuid), "OFFLINE");
  await scene.pass(minute);
  assert.equal(await stateOf(scene.owner, uuid), "OFFLINE");
  const { status, body } = await scene.owner.post(`/workers/${uuid}/ping`);
  assert.deepEqual([status, body.state], [200, "ONLINE"]);
  assert.equal(await stateOf(scene.owner, uuid), "ONLINE");
  const id = await aJob(scene.owner);
  assert.equal((await poll(scene.owner, uuid)).jobs[0].id, id, "with the blocks it had");
});

test("“OFFLINE --> Deleted: auto-cleanup after 24h”, “Offline for 24+ hours: Worker registration removed”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await scene.pass(7 * minute);
  // It was offline from the sixth minute on, by its last ping.
  scene.clock.advance(24 * hour - 61 * second);
  await scene.pass(500);
  assert.equal(await stateOf(scene.owner, uuid), "OFFLINE");
  await scene.pass(minute + second);
  assert.equal(await stateOf(scene.owner, uuid), "DELETED");
  assert.equal((await scene.owner.get(`/workers/${uuid}`)).status, 404);
  assert.deepEqual((await scene.owner.get("/workers")).body, []);
  const [kept] = (await scene.owner.get("/workers?findDeleted=true")).body;
  assert.deepEqual([kept.uuid, kept.state], [uuid, "DELETED"]);
});

test("“Deleted --> [*]”: there is no way back", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  assert.equal((await scene.owner.delete(`/workers/${uuid}`)).status, 204);
  assert.equal((await scene.owner.post(`/workers/${uuid}/ping`)).status, 404);
  const again = await scene.owner.post("/workers/register", { uuid });
  assert.notEqual(again.body.uuid, uuid);
  assert.equal(await stateOf(scene.owner, uuid), "DELETED");
});

test("“ONLINE: Heartbeat within last 2 minutes. Jobs are assigned normally”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await pinging(scene, uuid, 3 * minute);
  await scene.pass(2 * minute - 1);
  const id = await aJob(scene.owner);
  const { jobs, reason } = await poll(scene.owner, uuid);
  assert.deepEqual([jobs[0].id, reason], [id, undefined]);
});

test("“UNREACHABLE: No heartbeat for 2-6 minutes. No new jobs assigned, existing jobs continue”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const [held, waiting] = [await aJob(scene.owner), await aJob(scene.owner)];
  await poll(scene.owner, uuid);
  await scene.pass(2 * minute);
  const { jobs, reason } = await poll(scene.owner, uuid);
  assert.deepEqual(jobs, []);
  assert.match(reason, /UNREACHABLE/);
  const claim = { worker_id: uuid };
  assert.deepEqual((await scene.owner.post("/v1/tasks/claim", claim)).body.task, null, "by no other door either");
  assert.equal((await jobOf(scene.owner, held)).status, "polled");
  const result = { workerUuid: uuid, jobId: held, success: true, resultData: { rttMs: 3 } };
  assert.equal((await scene.owner.post("/blackboard/job/result", result)).status, 200);
  await scene.owner.post(`/workers/${uuid}/ping`);
  assert.equal((await poll(scene.owner, uuid)).jobs[0].id, waiting);
});

test("“OFFLINE: No heartbeat for 6+ minutes. In-flight jobs are auto-failed”", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  await scene.pass(6 * minute - 1);
  assert.equal((await jobOf(scene.owner, id)).status, "polled");
  await scene.pass(2 * second);
  const job = await jobOf(scene.owner, id);
  assert.deepEqual([job.status, job.failureReason, job.result], ["failed", "WORKER_OFFLINE", null]);
  const { jobs, reason } = await poll(scene.owner, uuid);
  assert.deepEqual(jobs, []);
  assert.match(reason, /OFFLINE/);
  await scene.owner.post(`/workers/${uuid}/ping`);
  assert.equal((await jobOf(scene.owner, id)).status, "failed", "what it held stays failed");
});
