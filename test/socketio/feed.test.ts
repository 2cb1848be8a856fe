// Feeds: what happens in all rooms, for whoever looks at the whole.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { type Caller, type RestScene, restScene } from "../rest/scene.ts";
import { type Connected, connect, register, submit } from "./scene.ts";

const scene = await restScene();
const { url, admin, caller } = scene;

async function feed(who: Caller, at = url): Promise<Connected> {
  const watching = await connect(at, who);
  assert.deepEqual(await watching.ask("feed_join"), { ok: true });
  return watching;
}

/** Tasks of which it was told that they were cancelled, which is the last thing that is told of them. */
function cancelled(watching: Connected): string[] {
  return watching.of("task_status_event").flatMap(({ id, status }) => (status === "cancelled" ? [id] : []));
}

async function cancelledTask(room: string, job: string): Promise<string> {
  const id = await submit(admin, room, job);
  await admin.patch(`/tasks/${id}`, { status: "cancelled" });
  return id;
}

test("a feed tells of tasks, jobs, workers and providers of every room", async () => {
  const watching = await feed(admin);
  const { job, worker } = await register(admin, "one", "Rotate");
  await watching.hears("jobs_invalidate");
  await watching.hears("worker_event", ({ worker_id, type }) => worker_id === worker && type === "worker.registered");
  const id = await cancelledTask("one", job);
  const { job: other } = await register(admin, "two", "Scale");
  const elsewhere = await cancelledTask("two", other);
  await until("both ends are told", () => cancelled(watching).length === 2);
  assert.deepEqual(cancelled(watching), [id, elsewhere]);
  await admin.post(`/workers/${worker}/alerts`, { severity: "error", code: "disk", message: "full" });
  await watching.hears("worker_alert");
  await admin.put("/rooms/two/providers", { category: "files", name: "disk", content_type: "text/plain", schema: {} });
  await watching.hears("providers_invalidate");
});

test("whoever is in a room and in the feed is told once, also of a worker of many rooms", async () => {
  const watching = await feed(admin);
  for (const room_id of ["first", "second"]) await watching.ask("room_join", { room_id });
  const { job, worker } = await register(admin, "first", "Once");
  await register(admin, "second", "Once", worker);
  await cancelledTask("first", job);
  await admin.delete(`/workers/${worker}`);
  await watching.hears("worker_event", ({ type }) => type === "worker.deleted");
  await watching.ask("feed_join");
  const types = watching.of("worker_event").map(({ type }) => type);
  assert.equal(types.filter((type) => type === "worker.deleted").length, 1);
  assert.deepEqual(
    watching.of("task_status_event").map(({ status }) => status),
    ["pending", "cancelled"],
  );
});

test("a token with limits is told of its rooms and jobs alone, and in a room it has joined of all", async () => {
  const [ofRoom, ofJob] = [
    await feed(await caller("ann", { role: "viewer", rooms: ["mine"] })),
    await feed(await caller("bob", { rooms: ["mine", "theirs"], jobs: ["theirs:*", "mine:*:Seen"] })),
  ];
  const [{ job: seen, worker }, { job: unseen }, { job: theirs, worker: hidden }] = [
    await register(admin, "mine", "Seen"),
    await register(admin, "mine", "Unseen"),
    await register(admin, "theirs", "Seen"),
  ];
  const ids = [
    await cancelledTask("mine", seen),
    await cancelledTask("mine", unseen),
    await cancelledTask("theirs", theirs),
  ];
  await admin.post(`/workers/${worker}/alerts`, { severity: "info", code: "end", message: "of the story" });
  await Promise.all([ofJob.hears("worker_alert"), ofRoom.hears("worker_alert")]);
  assert.deepEqual(cancelled(ofRoom), [ids[0], ids[1]]);
  assert.deepEqual(cancelled(ofJob), [ids[0], ids[2]]);
  assert.ok(ofRoom.of("worker_event").every(({ worker_id }) => worker_id !== hidden));
  await ofJob.ask("room_join", { room_id: "mine" });
  const more = [await cancelledTask("mine", seen), await cancelledTask("mine", unseen)];
  await until("both are told", () => more.every((id) => cancelled(ofJob).includes(id)));
  await ofJob.ask("feed_join");
  assert.equal(cancelled(ofJob).length, 4, "each once");
});

test("what happens in very many rooms is told once, also to who sees only the last of them", async () => {
  const rooms = Array.from({ length: 25 }, (_, n) => `of-${n}`);
  const last = await caller("lou", { rooms: ["of-24"] });
  const [all, one] = [await feed(admin), await feed(last)];
  const { worker } = await register(admin, "of-0", "Wide");
  for (const room of rooms) await register(admin, room, "Wide", worker);
  await admin.delete(`/workers/${worker}`);
  for (const watching of [all, one]) {
    await watching.hears("worker_event", ({ type }) => type === "worker.deleted");
    await watching.ask("feed_join");
    const gone = watching.of("worker_event").filter(({ type }) => type === "worker.deleted");
    assert.equal(gone.length, 1);
  }
});

test("who has left the feed hears what his rooms hear, and nothing else", async () => {
  const [watching, control] = [await feed(admin), await feed(admin)];
  await watching.ask("room_join", { room_id: "kept" });
  assert.deepEqual(await watching.ask("feed_leave"), { ok: true });
  const { job: kept } = await register(admin, "kept", "A");
  const { job: left } = await register(admin, "left-alone", "A");
  const ids = [await cancelledTask("left-alone", left), await cancelledTask("kept", kept)];
  await until("the other is told of both", () => cancelled(control).length === 2);
  await until("its room is told", () => cancelled(watching).length > 0);
  assert.deepEqual(cancelled(watching), [ids[1]]);
});

test("a feed at one server tells what happens at the other", withPostgres, async () => {
  const flags = { "database-url": await freshDatabase() };
  const here = await restScene(flags);
  const there: RestScene = await restScene({ ...flags, data: here.data });
  const watching = await feed(there.admin, there.url);
  await until("the other server knows", async () => {
    await register(here.admin, "lab", "Known");
    return watching.of("jobs_invalidate").length > 0;
  });
  const { job, worker } = await register(here.admin, "lab", "Rotate");
  const id = await submit(here.admin, "lab", job);
  await here.admin.patch(`/tasks/${id}`, { status: "cancelled" });
  await watching.hears("task_status_event", (data) => data.id === id && data.status === "cancelled");
  await watching.hears("worker_event", ({ worker_id }) => worker_id === worker);
});
