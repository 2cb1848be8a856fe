import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, postgresUrl, withPostgres } from "../fresh-database.ts";
import { restScene } from "../rest/scene.ts";
import { aJob, aWorker, type Caller, callerAt, jobOf, pingId, poll, stateOf } from "./scene.ts";

// Real time, and a cascade of a few seconds.
const brief = { "worker-unreachable-threshold-ms": "2000", "heartbeat-interval": "300ms" };

async function servers(): Promise<[Caller, Caller]> {
  const flags = { "database-url": await freshDatabase(), ...brief };
  const [first, second] = [await restScene(flags), await restScene(flags)];
  const { token } = await first.caller("ada");
  return [callerAt(() => first.url, token), callerAt(() => second.url, token)];
}

const [here, there] = postgresUrl === undefined ? ([] as never) : await servers();
const clock = systemClock();

test("a worker that pings at one server polls and pushes at the other", withPostgres, async () => {
  const uuid = await aWorker(here);
  // Longer than it takes to be unreachable where nobody hears of the other server's pings.
  const end = clock.now() + 3_000;
  while (clock.now() < end) {
    const pingedAt = clock.now();
    assert.equal((await here.post(`/workers/${uuid}/ping`)).body.state, "ONLINE");
    await until("it is time for the next ping", () => clock.now() >= pingedAt + 250);
  }
  assert.equal(await stateOf(there, uuid), "ONLINE");
  const id = await aJob(here);
  const { jobs, reason } = await poll(there, uuid);
  assert.deepEqual([jobs[0]?.id, reason], [id, undefined]);
  assert.equal((await jobOf(here, id)).status, "polled");
  const push = { workerUuid: uuid, jobId: id, success: true, resultData: { ok: true } };
  assert.equal((await here.post("/blackboard/job/result", push)).status, 200);
  const { items } = (await there.get(`/v1/tasks/${id}/events`)).body;
  assert.deepEqual(
    items.map(({ type }: { type: string }) => type),
    ["task.submitted", "task.claimed", "task.started", "task.completed"],
  );
  await here.delete(`/workers/${uuid}`);
});

test(
  "a worker that falls silent goes down the cascade for both servers, and comes back with a ping",
  withPostgres,
  async () => {
    const uuid = await aWorker(here);
    const [held, waiting] = [await aJob(here), await aJob(there)];
    await poll(there, uuid);
    // Their clocks may be a little apart.
    for (const server of [here, there]) {
      await until("it is unreachable", async () => (await stateOf(server, uuid)) === "UNREACHABLE", 10_000);
    }
    for (const server of [here, there]) assert.match((await poll(server, uuid)).reason, /UNREACHABLE/);
    assert.equal((await jobOf(here, held)).status, "polled");
    await until("what it held has failed", async () => (await jobOf(there, held)).status === "failed", 20_000);
    assert.equal((await jobOf(here, held)).failureReason, "WORKER_OFFLINE");
    assert.equal((await there.post(`/workers/${uuid}/ping`)).body.state, "ONLINE");
    assert.equal(await stateOf(here, uuid), "ONLINE");
    assert.equal((await poll(here, uuid)).jobs[0].id, waiting);
    const late = { workerUuid: uuid, jobId: held, success: true, resultData: {} };
    assert.equal((await here.post("/blackboard/job/result", late)).status, 409);
  },
);

test("unregister, blocks and lists are the same wherever one asks", withPostgres, async () => {
  const uuid = await aWorker(here);
  const blocks = (await there.get(`/workers/${uuid}/function-blocks`)).body;
  assert.equal(blocks[0].id, pingId);
  assert.equal((await there.post(`/workers/${uuid}/unregister`)).body.state, "OFFLINE");
  assert.equal(await stateOf(here, uuid), "OFFLINE");
  assert.match((await poll(here, uuid)).reason, /OFFLINE/);
  assert.equal((await here.post("/workers/register", { uuid })).body.uuid, uuid);
  assert.equal(await stateOf(there, uuid), "ONLINE");
  assert.equal((await there.get("/blackboard/jobs?status=nonsense")).status, 400);
  assert.ok((await there.get("/blackboard/jobs")).body.length >= 3);
  assert.equal((await here.delete(`/workers/${uuid}`)).status, 204);
  assert.equal((await there.post(`/workers/${uuid}/ping`)).status, 404);
});
