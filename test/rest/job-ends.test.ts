// When a job goes, when it stays, and how it comes back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { expectProblem } from "./expect-problem.ts";
import { restScene } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const [ada, bob] = await Promise.all([scene.caller("ada"), scene.caller("bob")]);

/** A job with a worker of Ada's. */
async function registered(room: string, more: object = {}) {
  const { body } = await ada.put(`/rooms/${room}/jobs`, { category: "modifiers", name: "X", ...more });
  const path = `/rooms/${room}/jobs/${room}:modifiers:X`;
  return {
    job: body,
    path,
    worker: body.worker_id as string,
    submit: async () => (await bob.post(`/rooms/${room}/tasks/${room}:modifiers:X`, {})).body.id as string,
    isListed: async () => (await bob.get(`/rooms/${room}/jobs`)).body.items.some(isOf(room)),
    isThere: async () => (await bob.get(path)).status === 200,
  };
}

function isOf(room: string) {
  return ({ full_name }: { full_name: string }) => full_name.startsWith(`${room}:`);
}

test("a job goes with its last worker, and not before", async () => {
  const { worker, path, isThere, isListed } = await registered("last");
  const second = (await bob.put("/rooms/last/jobs", { category: "modifiers", name: "X" })).body.worker_id;
  await ada.delete(`/workers/${worker}`);
  assert.deepEqual((await bob.get(path)).body.workers, [second]);
  await bob.delete(`/workers/${second}`);
  assert.deepEqual([await isThere(), await isListed()], [false, false]);
  expectProblem(await bob.get(path), "job-not-found");
  expectProblem(await bob.get(`${path}/tasks`), "job-not-found");
  expectProblem(await bob.post("/rooms/last/tasks/last:modifiers:X", {}), "job-not-found");
  assert.ok(!(await bob.get("/jobs?limit=500")).body.items.some(isOf("last")));
});

test("tasks of a job that is gone keep its name, and are seen in their room", async () => {
  const { worker, submit, isThere } = await registered("past");
  const id = await submit();
  await ada.post("/tasks/claim", { worker_id: worker });
  await ada.delete(`/workers/${worker}`);
  assert.equal(await isThere(), false, "what a worker held does not keep its job");
  const { items } = (await bob.get("/rooms/past/tasks")).body;
  assert.deepEqual([items[0].id, items[0].job_name, items[0].status], [id, "past:modifiers:X", "failed"]);
  assert.equal((await bob.get(`/tasks/${id}`)).body.job_name, "past:modifiers:X");
});

test("a job without workers stays as long as a task waits, and goes when a PATCH ends the last", async () => {
  const { worker, path, submit, isThere, isListed } = await registered("wait");
  const first = await submit();
  await ada.delete(`/workers/${worker}`);
  assert.deepEqual((await bob.get(path)).body.workers, []);
  assert.ok(await isListed());
  const second = await submit();
  assert.equal((await bob.get(`/tasks/${second}`)).body.queue_position, 2);
  assert.equal((await bob.patch(`/tasks/${first}`, { status: "cancelled" })).status, 200);
  assert.ok(await isThere(), "one still waits");
  assert.equal((await admin.patch(`/tasks/${second}`, { status: "cancelled" })).status, 200);
  assert.deepEqual([await isThere(), await isListed()], [false, false]);
});

test("a cancel of the last waiting task ends the job too", async () => {
  const { worker, submit, isThere } = await registered("cancel");
  const id = await submit();
  await ada.delete(`/workers/${worker}`);
  assert.equal((await bob.post(`/tasks/${id}/cancel`)).status, 200);
  assert.equal(await isThere(), false);
});

test("a job that has a worker stays when its last task ends", async () => {
  const { worker, submit, isThere } = await registered("stays");
  const id = await submit();
  await ada.post("/tasks/claim", { worker_id: worker });
  await ada.patch(`/tasks/${id}`, { status: "running" });
  await ada.patch(`/tasks/${id}`, { status: "completed" });
  assert.ok(await isThere());
});

test("a job comes back under its id and its first date, with the new schema", async () => {
  const { job, worker, path, submit } = await registered("back", { schema: { a: 1 } });
  const id = await submit();
  await bob.post(`/tasks/${id}/cancel`);
  await ada.delete(`/workers/${worker}`);
  const again = await bob.put("/rooms/back/jobs", { category: "modifiers", name: "X", schema: { b: 2 } });
  assert.equal(again.status, 201);
  assert.deepEqual([again.body.id, again.body.created_at, again.body.schema], [job.id, job.created_at, { b: 2 }]);
  assert.deepEqual((await bob.get(path)).body.workers, [again.body.worker_id]);
  assert.equal((await bob.get(`${path}/tasks`)).body.items[0].id, id, "its tasks are its tasks again");
  assert.equal((await bob.put("/rooms/back/jobs", { category: "modifiers", name: "X", schema: { b: 2 } })).status, 200);
});

test("a waiting task finds the worker that brings its job back", async () => {
  const { worker, submit } = await registered("found");
  const id = await submit();
  await ada.delete(`/workers/${worker}`);
  const again = await ada.put("/rooms/found/jobs", { category: "modifiers", name: "X" });
  assert.equal(again.status, 200, "it was never gone");
  assert.equal((await ada.post("/tasks/claim", { worker_id: again.body.worker_id })).body.task.id, id);
});

test("a job of @internal stays without a worker", async () => {
  const { worker_id } = (await admin.put("/rooms/@internal/jobs", { category: "modifiers", name: "In" })).body;
  await admin.delete(`/workers/${worker_id}`);
  const read = await bob.get("/rooms/@internal/jobs/@internal:modifiers:In");
  assert.deepEqual([read.status, read.body.workers], [200, []]);
});
