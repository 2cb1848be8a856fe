// What becomes of a worker when its connection does not last.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/server/config.ts";
import { databaseOf } from "../../src/server/database.ts";
import { systemClock } from "../../src/server/system.ts";
import { withTokens } from "../../src/server/token-database.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { type Connected, connect, register, submit } from "./scene.ts";

/** Time enough to come back, also on a busy machine. */
const graceMs = 2_000;
/** And for whoever stays away to be missed. */
const missedMs = 15_000;
const scene = await restScene({ "socket-grace": `${graceMs}` });
const { url, admin } = scene;
const clock = systemClock();

interface Working extends Connected {
  readonly job: string;
  readonly worker: string;
  /** In its hands. */
  readonly task: string;
}

let jobs = 0;

/** A worker that listens and holds a task. */
async function working(options: { readonly reconnection?: boolean } = {}): Promise<Working> {
  jobs += 1;
  const { job, worker } = await register(admin, "lab", `Job-${jobs}`);
  const connected = await connect(url, admin, { reconnection: false, ...options });
  assert.deepEqual(await connected.ask("join_job_room", { job_name: job, worker_id: worker }), { ok: true });
  const task = await submit(admin, "lab", job);
  await admin.post("/tasks/claim", { worker_id: worker });
  return { ...connected, job, worker, task };
}

async function isThere(worker: string): Promise<boolean> {
  const { body } = await admin.get("/workers?limit=500");
  return body.items.some(({ id }: { id: string }) => id === worker);
}

/** Cuts the connection, as a network would. */
function cut({ socket }: Connected): void {
  socket.io.engine.close();
}

test("a worker that is cut off and stays away is gone after the grace, and its task has failed", async () => {
  const lost = await working();
  const watching = await connect(url, admin);
  await watching.ask("room_join", { room_id: "lab" });
  const startedAt = clock.now();
  cut(lost);
  const told = await watching.hears("task_status_event", ({ id }) => id === lost.task);
  const tookMs = clock.now() - startedAt;
  assert.ok(tookMs >= graceMs - 5 && tookMs < graceMs + 2_000, `${tookMs} ms`);
  assert.deepEqual([told.status, told.error, told.worker_id], ["failed", "Worker disconnected", lost.worker]);
  await watching.hears("jobs_invalidate");
  assert.equal((await admin.patch(`/workers/${lost.worker}`)).status, 404);
  assert.equal((await admin.get(`/rooms/lab/jobs/${lost.job}`)).status, 404, "nobody serves its job any more");
  const late = await watching.ask("join_job_room", { job_name: lost.job, worker_id: lost.worker });
  assert.equal(late.problem.type, "/v1/problems/worker-not-found");
});

test("a worker that joins again within the grace, or beats, or has another connection, keeps what it holds", async () => {
  const [back, beating, double] = [await working({ reconnection: true }), await working(), await working()];
  const second = await connect(url, admin);
  await second.ask("join_job_room", { job_name: double.job, worker_id: double.worker });
  back.socket.on("connect", () => {
    back.socket.emit("join_job_room", { job_name: back.job, worker_id: back.worker });
  });
  for (const each of [back, beating, double]) cut(each);
  await until("they are cut off", () => !beating.socket.connected && !double.socket.connected);
  const control = await working();
  cut(control);
  // The server has seen the end of the connection by the time the worker beats.
  await until("it is connected again", () => back.socket.connected);
  await admin.get("/workers");
  assert.equal((await admin.patch(`/workers/${beating.worker}`)).status, 200);
  await until("one that stays away is gone", async () => !(await isThere(control.worker)), missedMs);
  for (const { worker, task } of [back, beating, double]) {
    assert.ok(await isThere(worker));
    assert.equal((await admin.get(`/tasks/${task}`)).body.status, "claimed");
    assert.equal((await admin.patch(`/tasks/${task}`, { status: "running" })).status, 200);
  }
  const id = await submit(admin, "lab", back.job);
  await back.hears("task_available", ({ task_id }) => task_id === id);
});

test("a connection stands for all workers that joined on it", async () => {
  const both = await working();
  const { job, worker } = await register(admin, "lab", "Second");
  await both.ask("join_job_room", { job_name: job, worker_id: worker });
  await both.ask("leave_job_room", { job_name: job, worker_id: worker });
  cut(both);
  await until("both are gone", async () => !(await isThere(both.worker)) && !(await isThere(worker)), missedMs);
});

test("a worker that is deleted in good order is not missed later", async () => {
  const leaving = await working();
  leaving.socket.emit("leave_job_room", { job_name: leaving.job, worker_id: leaving.worker });
  assert.equal((await admin.delete(`/workers/${leaving.worker}`)).status, 204);
  leaving.socket.disconnect();
  const control = await working();
  cut(control);
  await until("one that stays away is gone", async () => !(await isThere(control.worker)), missedMs);
  const { body } = await admin.get(`/workers/${leaving.worker}/events`);
  assert.deepEqual(
    body.items.map(({ type }: { type: string }) => type),
    ["worker.registered", "worker.unregistered", "worker.deleted"],
  );
});

test("a server that stops takes none of its workers with it", async () => {
  const ending = await restScene({ "socket-grace": "0" });
  const { job, worker } = await register(ending.admin, "lab", "Stays");
  const connected = await connect(ending.url, ending.admin, { reconnection: false });
  await connected.ask("join_job_room", { job_name: job, worker_id: worker });
  const task = await submit(ending.admin, "lab", job);
  await ending.admin.post("/tasks/claim", { worker_id: worker });
  await ending.serving.stop();
  const { config } = readConfig({ environment: {}, flags: { data: ending.data } });
  const [kept, held] = await withTokens(databaseOf(config), recordedLog(), async (store) => [
    (await store.read("workers", { ids: [worker] }))[0],
    (await store.read("tasks", { ids: [task] }))[0],
  ]);
  assert.equal((kept as { session: { lostAt: number | null } }).session.lostAt, null);
  assert.equal((held as { row: { state: string } }).row.state, "claimed");
});
