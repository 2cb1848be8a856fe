// Operators and workers of the fleet: what a worker is told, and what is done to it whether it listens or not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../src/sdk/index.ts";
import { aJob, aWorker, block, type Caller, type FleetScene, fleetScene, minute, poll, second } from "./scene.ts";

/** A worker that understands commands. */
async function aListener(owner: Caller): Promise<string> {
  const { body } = await owner.post("/workers/register", { name: "lab-1", commands: true });
  await owner.post("/function-blocks/register", { workerUuid: body.uuid, functionBlocks: [block()] });
  return body.uuid;
}

const ping = async ({ owner }: FleetScene, uuid: string) => (await owner.post(`/workers/${uuid}/ping`)).body;
const acknowledge = ({ owner }: FleetScene, uuid: string, id: string) =>
  owner.post(`/v1/workers/${uuid}/commands/${id}/ack`, { ok: true });
const told = async ({ admin }: FleetScene, uuid: string) =>
  (await admin.get(`/v1/workers/${uuid}/commands`)).body.items;

test("a worker hears with each ping what operators want of it, until it has acknowledged it", async () => {
  await using scene = await fleetScene();
  const uuid = await aListener(scene.owner);
  assert.equal("commands" in (await ping(scene, uuid)), false, "nobody wants anything");
  await scene.admin.post(`/v1/workers/${uuid}/pause`, { note: "new cables", for_seconds: 60 });
  await scene.admin.post(`/v1/workers/${uuid}/resume`);
  await scene.admin.post(`/v1/workers/${uuid}/drain`);
  await scene.admin.post(`/v1/workers/${uuid}/concurrency`, { value: 2 });
  const until = new Date(scene.clock.now() + minute).toISOString();
  const { commands } = await ping(scene, uuid);
  const ids = commands.map(({ id }: { readonly id: string }) => id);
  assert.deepEqual(commands, [
    { id: ids[0], type: "pause", until, note: "new cables" },
    { id: ids[1], type: "resume" },
    { id: ids[2], type: "drain", deadline: null },
    { id: ids[3], type: "concurrency", value: 2 },
  ]);
  assert.deepEqual((await acknowledge(scene, uuid, ids[0])).body.ok, true);
  assert.deepEqual((await ping(scene, uuid)).commands, commands.slice(1), "the others come again");
  for (const id of ids) assert.equal((await acknowledge(scene, uuid, id)).status, 200);
  assert.equal("commands" in (await ping(scene, uuid)), false);
});

test("a job that is taken from its worker is among what it is told, and to be stopped", async () => {
  await using scene = await fleetScene();
  const uuid = await aListener(scene.owner);
  const job = await aJob(scene.owner);
  await poll(scene.owner, uuid);
  await scene.admin.post(`/v1/tasks/${job}/evict`, { note: "it hangs" });
  const { cancel, commands } = await ping(scene, uuid);
  assert.deepEqual(cancel, [job]);
  assert.deepEqual(commands, [{ id: commands[0].id, type: "evict", task_id: job, attempt: 1, note: "it hangs" }]);
});

test("a worker that never heard of commands is told none, and the server acts alone", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  await aJob(scene.owner);
  for (let count = 0; count < 3; count += 1) await scene.admin.post(`/v1/workers/${uuid}/pause`);
  assert.deepEqual(Object.keys(await ping(scene, uuid)), ["uuid", "state", "lastPingAt"]);
  assert.deepEqual((await poll(scene.owner, uuid)).jobs, []);
  for (const command of await told(scene, uuid)) {
    assert.deepEqual([command.ok, command.delivered_at], [true, null]);
    assert.match(command.detail, /^The server acts alone/);
  }
});

test("each registration says anew whether its program understands commands", async () => {
  await using scene = await fleetScene();
  const uuid = await aListener(scene.owner);
  await scene.admin.post(`/v1/workers/${uuid}/pause`);
  const again = (words: object) => scene.owner.post("/workers/register", { uuid, ...words });
  assert.equal((await again({})).body.uuid, uuid);
  assert.equal("commands" in (await ping(scene, uuid)), false, "another program is there now");
  assert.equal((await told(scene, uuid))[0].delivered_at, null);
  await again({ commands: true });
  assert.equal((await ping(scene, uuid)).commands[0].type, "pause");
  assert.equal((await again({ commands: "yes" })).status, 422);
});

test("what a worker was told outlasts a restart of the server, and the worker's own silence", async () => {
  await using scene = await fleetScene();
  const uuid = await aListener(scene.owner);
  await scene.admin.post(`/v1/workers/${uuid}/drain`);
  const { commands } = await ping(scene, uuid);
  await scene.restart(5 * second);
  assert.deepEqual((await ping(scene, uuid)).commands, commands);
  await scene.pass(10 * minute);
  assert.equal((await scene.owner.get(`/workers/${uuid}`)).body.state, "OFFLINE");
  assert.deepEqual((await ping(scene, uuid)).commands, commands, "and its ping brings it back");
  await acknowledge(scene, uuid, commands[0].id);
  await scene.restart(5 * second);
  assert.equal("commands" in (await ping(scene, uuid)), false);
  assert.equal((await told(scene, uuid))[0].ok, true);
});

test("nobody is told what was wanted an hour ago", async () => {
  await using scene = await fleetScene();
  const uuid = await aListener(scene.owner);
  await scene.admin.post(`/v1/workers/${uuid}/pause`);
  assert.equal((await ping(scene, uuid)).commands.length, 1);
  await scene.pass(61 * minute);
  assert.equal("commands" in (await ping(scene, uuid)), false);
});

test("a worker that is paused or draining is told so when it polls", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  const id = await aJob(scene.owner);
  await scene.admin.post(`/v1/workers/${uuid}/pause`, { note: "new cables" });
  assert.deepEqual(await poll(scene.owner, uuid), {
    jobs: [],
    reason: "The worker is paused by admin (new cables): it gets no new jobs",
  });
  await scene.admin.post(`/v1/workers/${uuid}/resume`);
  assert.equal((await poll(scene.owner, uuid)).jobs[0].id, id);
  await aJob(scene.owner);
  await scene.admin.post(`/v1/workers/${uuid}/drain`);
  assert.deepEqual(await poll(scene.owner, uuid), { jobs: [], reason: "The worker is draining: it gets no new jobs" });
});

test("a worker that holds as many jobs as an operator allows is told so when it polls", async () => {
  await using scene = await fleetScene();
  const uuid = await aWorker(scene.owner);
  for (let count = 0; count < 4; count += 1) await aJob(scene.owner);
  const limit = (value: number | null) => scene.admin.post(`/v1/workers/${uuid}/concurrency`, { value });
  await limit(1);
  assert.equal((await poll(scene.owner, uuid, 9)).jobs.length, 1);
  assert.deepEqual(await poll(scene.owner, uuid), { jobs: [], reason: "The worker holds 1 job, and may hold 1" });
  await limit(3);
  assert.equal((await poll(scene.owner, uuid, 9)).jobs.length, 2);
  await limit(1);
  assert.deepEqual(await poll(scene.owner, uuid), { jobs: [], reason: "The worker holds 3 jobs, and may hold 1" });
  await limit(5);
  assert.equal((await poll(scene.owner, uuid, 9)).jobs.length, 1);
  assert.deepEqual(await poll(scene.owner, uuid), { jobs: [] }, "there is nothing to do, and room for it");
});

test("a program deletes workers: one of them, or all that are offline, and who may not is refused", async () => {
  await using scene = await fleetScene();
  const [one, there, away] = [await aWorker(scene.owner), await aWorker(scene.owner), await aWorker(scene.owner)];
  using admin = new Client({ url: scene.url, token: scene.admin.token });
  using ada = new Client({ url: scene.url, token: scene.owner.token });
  await ada.fleet.deleteWorker(one);
  await assert.rejects(ada.fleet.deleteWorker(one), { code: "worker-not-found" });
  await assert.rejects(ada.fleet.cleanup(), { code: "forbidden" });
  await scene.owner.post(`/workers/${away}/unregister`);
  assert.deepEqual(await admin.fleet.cleanup(), { deleted: 0, workers: [] });
  assert.deepEqual(await admin.fleet.cleanupOffline({ note: "moved" }), { deleted: 1, workers: [away] });
  const { note, target } = (await scene.admin.get("/v1/audit?action=worker.delete&limit=1")).body.items[0];
  assert.deepEqual([note, target], ["moved", away]);
  assert.equal((await scene.owner.get(`/workers/${there}`)).body.state, "ONLINE");
});
