// Rows 1 to 4 of the documents' table: a worker comes, beats and goes; and our own views of it.

import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { type Caller, restScene } from "./scene.ts";

const scene = await restScene();
const { admin, stranger } = scene;
const [ada, bob] = await Promise.all([scene.caller("ada"), scene.caller("bob")]);
const unknown = "01890000-0000-7000-8000-000000000000";
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function create(caller: Caller): Promise<string> {
  return (await caller.post("/workers")).body.id;
}

test("a worker is created with its id and the time of its first sign of life", async () => {
  const created = await ada.post("/workers");
  assert.equal(created.status, 201);
  assert.deepEqual(Object.keys(created.body).sort(), ["id", "last_heartbeat"]);
  assert.match(created.body.id, uuid);
  assert.match(created.body.last_heartbeat, instant);
  expectProblem(await stranger.post("/workers"), "unauthorized");
});

test("requests without a body may say so: no content, no type", async () => {
  async function bare(method: string, path: string): Promise<number> {
    const headers = { authorization: `Bearer ${ada.token}`, "content-length": "0" };
    return new Promise((resolve, reject) => {
      const asked = request(`${scene.url}/v1${path}`, { method, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      asked.on("error", reject).end();
    });
  }
  const id = await create(ada);
  assert.equal(await bare("POST", "/workers"), 201);
  assert.equal(await bare("PATCH", `/workers/${id}`), 200);
  assert.equal(await bare("DELETE", `/workers/${id}`), 204);
});

test("a heartbeat is the owner's alone: a superuser's is refused", async () => {
  const id = await create(ada);
  const beat = await ada.patch(`/workers/${id}`);
  assert.equal(beat.status, 200);
  assert.equal(beat.body.id, id);
  assert.match(beat.body.last_heartbeat, instant);
  assert.deepEqual([beat.body.cancel, beat.body.commands], [[], []]);
  assert.equal((await ada.patch(`/workers/${id.toUpperCase()}`)).body.id, id, "ids are the same in either case");
  expectProblem(await stranger.patch(`/workers/${id}`), "unauthorized");
  expectProblem(await bob.patch(`/workers/${id}`), "forbidden");
  expectProblem(await admin.patch(`/workers/${id}`), "forbidden");
  expectProblem(await ada.patch(`/workers/${unknown}`), "worker-not-found");
  expectBadFields(await ada.patch("/workers/no-uuid"), "/path/worker_id");
});

test("a heartbeat is seen by everyone at once, and a claim is none", async () => {
  const { id, last_heartbeat: first } = (await ada.post("/workers")).body;
  const seen = async () => (await bob.get(`/workers/${id}`)).body.last_heartbeat;
  assert.equal(await seen(), first);
  let last = first;
  await until("a beat later than the first", async () => {
    last = (await ada.patch(`/workers/${id}`)).body.last_heartbeat;
    return last > first;
  });
  assert.equal(await seen(), last);
  const listed = (await bob.get("/workers?limit=500")).body.items.find((worker: { id: string }) => worker.id === id);
  assert.equal(listed.last_heartbeat, last);
  await until("a moment later", () => new Date().toISOString() > last);
  assert.deepEqual((await ada.post("/tasks/claim", { worker_id: id })).body, { task: null });
  assert.equal(await seen(), last);
});

test("a heartbeat tells which of the worker's tasks were cancelled, once", async () => {
  const { worker_id } = (await ada.put("/rooms/beats/jobs", { category: "modifiers", name: "Wait" })).body;
  await ada.patch(`/workers/${worker_id}`);
  const { id } = (await ada.post("/rooms/beats/tasks/beats:modifiers:Wait", {})).body;
  await ada.post("/tasks/claim", { worker_id });
  assert.equal((await ada.post(`/tasks/${id}/cancel`)).status, 200);
  assert.deepEqual((await ada.patch(`/workers/${worker_id}`)).body.cancel, [id]);
  assert.deepEqual((await ada.patch(`/workers/${worker_id}`)).body.cancel, []);
});

test("a worker is deleted by its owner or by a superuser, once", async () => {
  const [first, second] = [await create(ada), await create(ada)];
  expectProblem(await stranger.delete(`/workers/${first}`), "unauthorized");
  expectProblem(await bob.delete(`/workers/${first}`), "forbidden");
  const gone = await ada.delete(`/workers/${first}`);
  assert.equal(gone.status, 204);
  assert.equal(gone.text, "");
  assert.equal((await admin.delete(`/workers/${second}`)).status, 204);
  const { items } = (await admin.get(`/workers/${second}/events`)).body;
  assert.deepEqual([items[0].data.by, items[1].data.by], ["ada", "admin"], "its history says who it was");
  expectProblem(await ada.delete(`/workers/${first}`), "worker-not-found");
  expectProblem(await ada.patch(`/workers/${first}`), "worker-not-found");
  expectProblem(await ada.post("/tasks/claim", { worker_id: first }), "worker-not-found");
  expectProblem(await ada.delete(`/workers/${unknown}`), "worker-not-found");
  expectBadFields(await ada.delete("/workers/no-uuid"), "/path/worker_id");
});

test("what a deleted worker held fails, what waits goes on waiting, and its links are gone", async () => {
  const { worker_id } = (await ada.put("/rooms/end/jobs", { category: "modifiers", name: "Cut" })).body;
  const job = "end:modifiers:Cut";
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await bob.post(`/rooms/end/tasks/${job}`, {})).body.id);
  const [running, claimed, pending] = ids;
  await ada.post("/tasks/claim", { worker_id, limit: 2 });
  assert.equal((await ada.patch(`/tasks/${running}`, { status: "running" })).status, 200);
  assert.equal((await ada.delete(`/workers/${worker_id}`)).status, 204);
  for (const id of [running, claimed]) {
    const { body } = await bob.get(`/tasks/${id}`);
    assert.deepEqual([body.status, body.error, body.worker_id], ["failed", "Worker disconnected", worker_id]);
    assert.match(body.completed_at, instant);
    const types = (await bob.get(`/tasks/${id}/events`)).body.items.map(({ type }: { type: string }) => type);
    assert.equal(types.at(-1), "task.lost");
  }
  const waiting = (await bob.get(`/tasks/${pending}`)).body;
  assert.deepEqual([waiting.status, waiting.queue_position, waiting.worker_id], ["pending", 1, null]);
  assert.deepEqual((await bob.get(`/rooms/end/jobs/${job}`)).body.workers, []);
  assert.equal((await bob.get("/rooms/end/workers")).body.total, 0);
  const late = await ada.patch(`/tasks/${running}`, { status: "completed" });
  expectProblem(late, "invalid-task-transition");
});

test("a worker that beats stays in the list of those online, however long ago it came", async () => {
  const short = await restScene({ "worker-timeout-seconds": "1", "worker-heartbeat-interval-seconds": "0.25" });
  const { id, last_heartbeat: first } = (await short.admin.post("/workers")).body;
  await until("it has outlived its window", async () => {
    const { last_heartbeat } = (await short.admin.patch(`/workers/${id}`)).body;
    return Date.parse(last_heartbeat) - Date.parse(first) > 1_100;
  });
  const { items } = (await short.admin.get("/workers?state=ONLINE")).body;
  assert.deepEqual(
    items.map((worker: { id: string }) => worker.id),
    [id],
  );
  await until("it is gone without a beat", async () => (await short.admin.get("/workers")).body.total === 0, 10_000);
});

test("a worker is shown with its jobs, its tasks and its history, also after its end", async () => {
  const { worker_id } = (await ada.put("/rooms/view/jobs", { category: "analysis", name: "One" })).body;
  await ada.put("/rooms/view/jobs", { category: "analysis", name: "Two", worker_id });
  const { id } = (await ada.post("/rooms/view/tasks/view:analysis:One", {})).body;
  await ada.post("/tasks/claim", { worker_id });
  const { body } = await bob.get(`/workers/${worker_id}`);
  assert.deepEqual(
    [body.id, body.profile, body.state, body.job_count, body.labels],
    [worker_id, "rest", "ONLINE", 2, {}],
  );
  assert.deepEqual(Object.keys(body.specs).sort(), ["view:analysis:One", "view:analysis:Two"]);
  const jobs = (await bob.get(`/workers/${worker_id}/jobs`)).body;
  assert.deepEqual(
    jobs.items.map(({ full_name }: { full_name: string }) => full_name),
    ["view:analysis:Two", "view:analysis:One"],
  );
  assert.equal((await bob.get(`/workers/${worker_id}/tasks?status=claimed`)).body.items[0].id, id);
  assert.equal((await bob.get(`/workers/${worker_id}/tasks?status=completed`)).body.total, 0);
  await ada.delete(`/workers/${worker_id}`);
  assert.equal((await bob.get(`/workers/${worker_id}`)).body.state, "DELETED");
  const { items } = (await bob.get(`/workers/${worker_id}/events`)).body;
  assert.deepEqual(
    items.map(({ type }: { type: string }) => type),
    ["worker.registered", "worker.unregistered", "worker.deleted"],
  );
  assert.deepEqual([items[0].data, items[1].data], [{ by: "ada" }, { by: "ada" }]);
  assert.deepEqual(Object.keys(items[0]).sort(), ["at", "code", "data", "type"]);
  for (const more of ["", "/tasks", "/jobs", "/events"]) {
    expectProblem(await bob.get(`/workers/${unknown}${more}`), "worker-not-found");
    expectBadFields(await bob.get(`/workers/no-uuid${more}`), "/path/worker_id");
    expectProblem(await stranger.get(`/workers/${worker_id}${more}`), "unauthorized");
  }
});

test("a list of workers shows the removed ones too where it is asked to, and those of one state or label", async () => {
  const [here, gone] = [await create(ada), await create(ada)];
  await ada.delete(`/workers/${gone}`);
  const ids = async (query: string) =>
    (await bob.get(`/workers?limit=500&${query}`)).body.items.map(({ id }: { id: string }) => id);
  assert.ok(!(await ids("")).includes(gone));
  const all = await ids("find_deleted=true");
  assert.ok(all.includes(here) && all.includes(gone));
  assert.ok(!(await ids("find_deleted=false")).includes(gone));
  assert.ok((await ids("state=ONLINE")).includes(here));
  assert.deepEqual(await ids("state=OFFLINE"), []);
  const deleted = await ids("state=DELETED&find_deleted=true");
  assert.ok(deleted.includes(gone) && !deleted.includes(here));
  assert.deepEqual(await ids("label=gpu=yes"), []);
  for (const [query, pointer] of [
    ["find_deleted=perhaps", "/query/find_deleted"],
    ["state=online", "/query/state"],
    ["label=gpu", "/query/label"],
  ]) {
    expectBadFields(await bob.get(`/workers?${query}`), pointer as string);
  }
});

test("a worker says who it is when it comes and how it is when it beats, and everyone can read it", async () => {
  const words = { name: "press-1", hostname: "hall", os: "linux", queues: ["night"], labels: { gpu: "yes" } };
  const { id } = (await ada.post("/workers", words)).body;
  const status = { cpuPercent: 12.5, ramBytes: 1_000_000, loopLagMs: 3 };
  assert.equal((await ada.patch(`/workers/${id}`, { status, blocked_ms: 4_000 })).status, 200);
  const { body } = await bob.get(`/workers/${id}`);
  const { name, hostname, os, queues, labels } = body;
  assert.deepEqual({ name, hostname, os, queues, labels }, words);
  assert.deepEqual([body.status, body.blocked_ms], [status, 4_000]);
  await ada.patch(`/workers/${id}`);
  assert.equal((await bob.get(`/workers/${id}`)).body.blocked_ms, 4_000, "a beat without words changes nothing");
  expectBadFields(await ada.post("/workers", { queues: "night" }), "/queues");
  expectBadFields(await ada.patch(`/workers/${id}`, { blocked_ms: -1 }), "/blocked_ms");
});

test("a beat names the tasks that ran out of time", async () => {
  const policy = { timeoutMs: 50, stallMs: 0 };
  const registered = await ada.put("/rooms/timed/jobs", { category: "modifiers", name: "Hang", policy });
  const { worker_id } = registered.body;
  const { id } = (await ada.post("/rooms/timed/tasks/timed:modifiers:Hang", {})).body;
  const { lease_token } = (await ada.post("/tasks/claim", { worker_id })).body.task;
  await ada.patch(`/tasks/${id}`, { status: "running", lease_token });
  await until("the task has failed", async () => (await ada.get(`/tasks/${id}`)).body.status === "failed");
  assert.deepEqual((await ada.patch(`/workers/${worker_id}`)).body.cancel, [id]);
});

test("the list shows workers of every door with all that is known of them, and filters by state, room and label", async () => {
  const created = await ada.post("/workers", {
    ...{ name: "press-1", hostname: "node-12", os: "linux 6", version: "leadhand 9", concurrency: 4 },
    labels: { gpu: "yes", site: "north" },
  });
  const { id } = created.body;
  const job = { category: "modifiers", name: "Show", worker_id: id };
  assert.equal((await ada.put("/rooms/shown/jobs", job)).status, 201);
  const task = (await ada.post("/rooms/shown/tasks/shown:modifiers:Show", {})).body.id;
  await ada.post("/tasks/claim", { worker_id: id });
  const status = { cpuPercent: 12, ramBytes: 1_048_576, loopLagMs: 3 };
  await ada.patch(`/workers/${id}`, { status, blocked_ms: 0 });
  const listed = async (query: string) =>
    (await ada.get(`/workers?limit=500&${query}`)).body.items.filter((each: { id: string }) => each.id === id);
  const [{ last_heartbeat, seen_at, ...shown }] = await listed("");
  assert.equal(last_heartbeat, seen_at);
  assert.deepEqual(shown, {
    ...{ id, door: "rest", profile: "rest", state: "ONLINE", name: "press-1", hostname: "node-12", os: "linux 6" },
    ...{ version: "leadhand 9", labels: { gpu: "yes", site: "north" }, capacity: 4, held: 1, job_count: 1 },
    ...{ paused: false, draining: false, deaf: false, blocked_ms: 0, status },
    ...{ pause: null, drain: null, concurrency_limit: null, may: { operate: true } },
  });
  const { body } = await ada.get(`/workers/${id}`);
  assert.deepEqual([body.holds, body.held, body.capacity], [[task], 1, 4]);
  for (const query of ["state=ONLINE", "room=shown", "label=gpu%3Dyes", "find_deleted=true"]) {
    assert.equal((await listed(query)).length, 1, query);
  }
  for (const query of ["state=OFFLINE", "room=elsewhere", "label=gpu%3Dno", "state=DELETED&find_deleted=true"]) {
    assert.equal((await listed(query)).length, 0, query);
  }
  await ada.delete(`/workers/${id}`);
  assert.equal((await listed("")).length, 0);
  assert.equal((await listed("state=DELETED&find_deleted=true"))[0].state, "DELETED");
});
