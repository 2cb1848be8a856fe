import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { expectBadFields, expectProblem } from "./expect-problem.ts";
import { type Caller, type Reply, restScene } from "./scene.ts";

type Body = Reply["body"];

const scene = await restScene();
const [ada, vera, lina, jill] = await Promise.all([
  scene.caller("ada", { role: "admin" }),
  scene.caller("vera", { role: "viewer" }),
  scene.caller("lina", { rooms: ["lab"] }),
  scene.caller("jill", { jobs: ["hall:*"] }),
]);

/** So many tasks of a job: the first ones complete, the next fail, the rest waits. */
async function work(room: string, job: string, completed: number, errors: readonly string[], more = 0): Promise<void> {
  const [, category, name] = job.split(":");
  const { body } = await ada.put(`/rooms/${job.split(":")[0]}/jobs`, { category, name });
  const tasks = Array.from({ length: completed + errors.length + more }, () => ({ job }));
  assert.equal((await ada.post(`/rooms/${room}/tasks`, { tasks })).status, 202);
  const limit = completed + errors.length;
  if (limit === 0) return;
  const claimed = await ada.post("/tasks/claim", { worker_id: body.worker_id, limit });
  for (const [n, { id, lease_token }] of claimed.body.tasks.entries()) {
    await ada.patch(`/tasks/${id}`, { status: "running", lease_token });
    const end = n < completed ? { status: "completed" } : { status: "failed", error: errors[n - completed] };
    assert.equal((await ada.patch(`/tasks/${id}`, { ...end, lease_token })).status, 200);
  }
}

await work("lab", "lab:modifiers:Rotate", 2, ["Disk 1 is full", "Disk 22 is full", "No such file '/tmp/x'"], 1);
await work("hall", "hall:modifiers:Turn", 1, ["Disk 3 is full"]);
await work("hall", "@global:modifiers:Both", 1, [], 2);
await work("lab", "@global:modifiers:Both", 0, [], 1);

/** What was counted is written at most every quarter of a second for those who look. */
async function settled(who: Caller, path: string, isDone: (body: Body) => boolean): Promise<Body> {
  let body: Body;
  await until(`${path} is up to date`, async () => {
    body = (await who.get(path)).body;
    return isDone(body);
  });
  return body;
}

test("the pulse shows what was counted, what waits and why, and who is there", async () => {
  const pulse = await settled(vera, "/pulse", ({ totals }) => totals.submitted === 12);
  assert.deepEqual([pulse.window_seconds, pulse.step_seconds, pulse.points.length], [3_600, 60, 60]);
  const { submitted, completed, failed, cancelled, lost, ...times } = pulse.totals;
  assert.deepEqual(
    { submitted, completed, failed, cancelled, lost },
    {
      ...{ submitted: 12, completed: 4, failed: 4, cancelled: 0, lost: 0 },
    },
  );
  assert.ok(times.wait_p95_ms >= times.wait_p50_ms && times.run_p50_ms >= 0);
  assert.equal(
    pulse.points.reduce((sum: number, point: { failed: number }) => sum + point.failed, 0),
    4,
  );
  assert.equal(pulse.points[0].wait_p50_ms, null);
  const later = await settled(vera, "/pulse", ({ waiting }) => waiting.ready === 4);
  const { ready, held, oldest_task_id } = later.waiting;
  assert.deepEqual([ready, held, typeof oldest_task_id], [4, 0, "string"]);
  assert.equal(pulse.fleet.online, 4);
  const [reason] = later.reasons;
  assert.deepEqual([reason.job_name, reason.code], ["@global:modifiers:Both", "in-line"]);
  assert.deepEqual(pulse.alerts, { info: 0, warning: 0, error: 0, critical: 0 });
});

test("a pulse is narrowed by room and job, and its window has its steps", async () => {
  const totals = async (query: string) => {
    const { submitted, completed } = (await vera.get(`/pulse?${query}`)).body.totals;
    return [submitted, completed];
  };
  assert.deepEqual(await totals("room=lab"), [7, 2]);
  assert.deepEqual(await totals("job=%40global%3Amodifiers%3ABoth"), [4, 1]);
  assert.deepEqual(await totals("room=lab&job=%40global%3Amodifiers%3ABoth"), [1, 0]);
  assert.deepEqual(await totals("room=nowhere"), [0, 0]);
  const waiting = (await vera.get("/pulse?room=lab")).body.waiting;
  assert.equal(waiting.ready, 2);
  for (const [window, points] of Object.entries({ "15m": 15, "6h": 72, "24h": 96, "7d": 56, "30d": 60 })) {
    const { body } = await vera.get(`/pulse?window=${window}`);
    assert.equal(body.points.length, points);
    assert.equal(body.totals.submitted, 12, window);
  }
  expectBadFields(await vera.get("/pulse?window=2h"), "/query/window");
  expectProblem(await vera.get("/pulse?room=a%3Ab"), "invalid-room-id");
});

test("a token of one room, or of some jobs, sees only what is theirs", async () => {
  const lab = (await lina.get("/pulse")).body;
  assert.deepEqual([lab.totals.submitted, lab.totals.failed, lab.waiting.ready], [7, 3, 2]);
  assert.equal((await lina.get("/pulse?room=hall")).body.totals.submitted, 0);
  const hall = (await jill.get("/pulse")).body;
  assert.deepEqual([hall.totals.submitted, hall.totals.failed, hall.waiting.ready], [2, 1, 0]);
  assert.equal((await jill.get("/pulse?job=lab%3Amodifiers%3ARotate")).body.totals.submitted, 0);
  const failures = async (who: Caller) => (await who.get("/failures")).body.items.map((each: Body) => each.job_name);
  assert.deepEqual(new Set(await failures(lina)), new Set(["lab:modifiers:Rotate"]));
  assert.deepEqual(await failures(jill), ["hall:modifiers:Turn"]);
  const names = async (who: Caller) =>
    (await who.get("/jobs/statistics")).body.items.map((each: Body) => each.job_name);
  assert.deepEqual(await names(lina), ["lab:modifiers:Rotate", "@global:modifiers:Both"]);
  assert.deepEqual(await names(jill), ["hall:modifiers:Turn"]);
  const [foreign] = (await jill.get("/failures")).body.items;
  expectProblem(await lina.get(`/failures/${foreign.fingerprint}`), "failure-not-found");
  expectProblem(await scene.stranger.get("/pulse"), "unauthorized");
});

test("jobs are listed with what was counted of them, the busiest first", async () => {
  const { items, total } = (await vera.get("/jobs/statistics")).body;
  assert.equal(total, 3);
  const [rotate, both, turn] = items;
  assert.deepEqual(
    [rotate.job_name, rotate.completed, rotate.failed, rotate.success_rate, rotate.waiting],
    [...["lab:modifiers:Rotate", 2, 3, 0.4, 1]],
  );
  assert.equal(rotate.trend.length, 24);
  assert.deepEqual([rotate.trend.at(-1).completed, rotate.trend.at(-1).failed], [2, 3]);
  assert.deepEqual([both.waiting, both.running, both.success_rate], [3, 0, 1]);
  assert.deepEqual([turn.job_name, turn.oldest_ready_at], ["hall:modifiers:Turn", null]);
  const page = (await vera.get("/jobs/statistics?limit=1&offset=1")).body;
  assert.deepEqual([page.items[0].job_name, page.total], ["@global:modifiers:Both", 3]);
});

test("the statistics of all jobs are not taken for a job of that name", async () => {
  assert.equal((await ada.put("/rooms/lab/jobs", { category: "modifiers", name: "statistics" })).status, 201);
  const { status, body } = await ada.get("/jobs/lab:modifiers:statistics/versions");
  assert.deepEqual([status, body.job], [200, "lab:modifiers:statistics"]);
  assert.equal((await ada.get("/jobs/statistics")).status, 200);
});

test("failures that are alike are one, with a sample and a trend", async () => {
  const { items, total } = (await vera.get("/failures?sort=tasks&room=lab")).body;
  assert.equal(total, 2);
  const [disk] = items;
  assert.deepEqual([disk.tasks, disk.error, disk.error_code], [2, "Disk 22 is full", null]);
  assert.deepEqual([disk.trend.length, disk.trend.at(-1)], [24, 2]);
  assert.equal((await vera.get(`/tasks/${disk.sample_task_id}`)).body.error, "Disk 22 is full");
  const { trend: _, ...one } = (await vera.get(`/failures/${disk.fingerprint}`)).body;
  const { trend: __, ...same } = disk;
  assert.deepEqual(one, same);
  const byTime = (await vera.get("/failures?job=lab%3Amodifiers%3ARotate")).body.items;
  assert.deepEqual(byTime[0].error, "No such file '/tmp/x'");
  expectProblem(await vera.get("/failures/0123456789abcdef"), "failure-not-found");
  expectProblem(await vera.get("/failures/nonsense"), "failure-not-found");
  expectBadFields(await vera.get("/failures?sort=best"), "/query/sort");
});
