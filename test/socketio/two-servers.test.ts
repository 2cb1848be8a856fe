// Two servers on one PostgreSQL: what is done at one is heard at the other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { type RestScene, restScene } from "../rest/scene.ts";
import { type Connected, connect, register, submit } from "./scene.ts";

async function pair(): Promise<[RestScene, RestScene]> {
  const flags = { "database-url": await freshDatabase(), "socket-grace": "3000" };
  const first = await restScene(flags);
  return [first, await restScene({ ...flags, data: first.data })];
}

/** Whether a server has heard what another listens to is seen by what comes: the first word may be lost. */
async function watching({ url, admin }: RestScene, other: RestScene, room: string): Promise<Connected> {
  const viewer = await connect(url, admin);
  await viewer.ask("room_join", { room_id: room });
  await until("the other server knows", async () => {
    await register(other.admin, room, "Known");
    return viewer.of("jobs_invalidate").length > 0;
  });
  return viewer;
}

test("what happens at one server is told to those who listen at the other", withPostgres, async () => {
  const [here, there] = await pair();
  const viewer = await watching(there, here, "lab");
  const { job, worker } = await register(here.admin, "lab", "Rotate");
  const working = await connect(there.url, there.admin);
  assert.deepEqual(await working.ask("join_job_room", { job_name: job, worker_id: worker }), { ok: true });
  await until("a task wakes the worker", async () => {
    await submit(here.admin, "lab", job);
    return working.of("task_available").length > 0;
  });
  const { body } = await here.admin.post("/tasks/claim", { worker_id: worker });
  const { id, lease_token } = body.task;
  const error = "ü".repeat(50_000);
  await here.admin.patch(`/tasks/${id}`, { status: "running", lease_token });
  await there.admin.patch(`/tasks/${id}`, { status: "failed", error, lease_token });
  const last = await viewer.hears("task_status_event", (data) => data.id === id && data.status === "failed");
  assert.equal(last.error.length, 1_000, "a long error is cut, and not lost");
  const seen = viewer.of("task_status_event").filter((data) => data.id === id);
  assert.deepEqual(
    seen.map(({ version }) => version),
    seen.map(({ version }) => version).sort((x, y) => x - y),
    "no word overtakes a newer one",
  );
  const { body: next } = await here.admin.post("/tasks/claim", { worker_id: worker });
  await submit(here.admin, "lab", job);
  const cancelled = next.task?.id ?? (await here.admin.post("/tasks/claim", { worker_id: worker })).body.task.id;
  await here.admin.patch(`/tasks/${cancelled}`, { status: "cancelled" });
  assert.deepEqual(await working.hears("task_cancel"), { task_id: cancelled, worker_id: worker });
});

test("a worker that comes back at another server, or is connected there too, is kept", withPostgres, async () => {
  const [here, there] = await pair();
  const join = async (scene: RestScene, job: string, worker: string): Promise<Connected> => {
    const connected = await connect(scene.url, scene.admin, { reconnection: false });
    assert.deepEqual(await connected.ask("join_job_room", { job_name: job, worker_id: worker }), { ok: true });
    return connected;
  };
  const names = ["Back", "Double", "Beating", "Away"] as const;
  const all = await Promise.all(names.map((name) => register(here.admin, "lab", name)));
  const [back, double, beating, away] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0], (typeof all)[0]];
  await join(there, double.job, double.worker);
  const sockets = await Promise.all(all.map(({ job, worker }) => join(here, job, worker)));
  for (const { socket } of sockets) socket.io.engine.close();
  await join(there, back.job, back.worker);
  const isThere = async (worker: string) =>
    (await there.admin.get("/workers")).body.items.some(({ id }: { id: string }) => id === worker);
  const isAwayGone = async () => {
    assert.equal((await there.admin.patch(`/workers/${beating.worker}`)).status, 200);
    return !(await isThere(away.worker));
  };
  await until("the one that stays away is gone", isAwayGone, 15_000);
  for (const { worker, job } of [back, double, beating]) assert.ok(await isThere(worker), job);
});

test("a worker whose server stops goes on at the other", withPostgres, async () => {
  const [here, there] = await pair();
  const { job, worker } = await register(here.admin, "lab", "Moves");
  const working = await connect(here.url, here.admin, { reconnection: false });
  await working.ask("join_job_room", { job_name: job, worker_id: worker });
  const id = await submit(here.admin, "lab", job);
  const { body } = await here.admin.post("/tasks/claim", { worker_id: worker });
  await here.serving.stop();
  const again = await connect(there.url, there.admin);
  assert.deepEqual(await again.ask("join_job_room", { job_name: job, worker_id: worker }), { ok: true });
  const { lease_token } = body.task;
  assert.equal((await there.admin.patch(`/tasks/${id}`, { status: "running", lease_token })).status, 200);
  assert.equal((await there.admin.patch(`/tasks/${id}`, { status: "completed", lease_token })).status, 200);
});
