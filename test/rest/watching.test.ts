// A closer look: how evenly a worker beats, how its specs compare with those that are registered, and whether a payload
// would be taken.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { expectProblem } from "./expect-problem.ts";
import { type Caller, type RestScene, restScene } from "./scene.ts";

const angle = { type: "object", properties: { angle: { type: "number" } }, required: ["angle"] };

async function register(who: Caller, name: string, more: object = {}): Promise<{ job: string; worker: string }> {
  const { status, body } = await who.put("/rooms/lab/jobs", { category: "modifiers", name, schema: angle, ...more });
  assert.ok(status < 300, JSON.stringify(body));
  return { job: body.full_name, worker: body.worker_id };
}

const stores = [
  ["SQLite", async () => ({}), false],
  ["PostgreSQL", async () => ({ "database-url": await freshDatabase() }), withPostgres.skip],
] as const;

for (const [name, flags, skip] of stores) {
  test(`on ${name}`, { skip }, async (t) => {
    const scene = await restScene(await flags());
    await t.test("the beats of a worker are shown with their gaps and what was said", () => beats(scene));
    await t.test("the specs of a worker are compared with those that are registered", () => specs(scene));
    await t.test("a payload is checked as a submit checks it", () => checks(scene));
  });
}

async function beats({ admin, caller }: RestScene): Promise<void> {
  const { worker } = await register(admin, "Beats");
  const seen = async (who: Caller = admin) => (await who.get(`/workers/${worker}/beats`)).body;
  const before = await seen();
  const { body: nodes } = await admin.get("/nodes");
  assert.equal(before.node_id, nodes.items[0].id);
  assert.equal(before.every_ms, 30_000);
  await admin.patch(`/workers/${worker}`, { status: { cpuPercent: 12.5, loopLagMs: 3 } });
  const { heard_here, items } = await seen(await caller("ann", { role: "viewer" }));
  assert.equal(heard_here, true);
  const { at, gap_ms, ...said } = items.at(-1);
  assert.deepEqual(said, { loop_lag_ms: 3, cpu_percent: 12.5, ram_bytes: null });
  assert.ok(Date.parse(at) > 0 && (gap_ms === null || gap_ms > 0));
  expectProblem(await admin.get(`/workers/${randomUUID()}/beats`), "worker-not-found");
  const stranger = await caller("eve", { rooms: ["other"] });
  expectProblem(await stranger.get(`/workers/${worker}/beats`), "worker-not-found");
}

async function specs({ admin, caller }: RestScene): Promise<void> {
  const { job, worker } = await register(admin, "Specs");
  const { body } = await admin.post(`/rooms/lab/tasks/${job}`, { payload: { angle: 1 } });
  const { body: claimed } = await admin.post("/tasks/claim", { worker_id: worker });
  assert.equal(claimed.task.id, body.id);
  const proof = { lease_token: claimed.task.lease_token };
  await admin.patch(`/tasks/${body.id}`, { status: "running", ...proof });
  await admin.patch(`/tasks/${body.id}`, { status: "completed", ...proof });
  const { checksum } = (await admin.get(`/rooms/lab/jobs/${job}`)).body;
  const seen = async (who: Caller = admin) => (await who.get(`/workers/${worker}/specs`)).body.items;
  const [{ announced, ...row }, ...others] = await seen();
  assert.deepEqual(row, { job_name: job, current: checksum, matches: true, tasks_done: 1 });
  assert.ok(announced === null || announced === checksum);
  assert.deepEqual(others, []);
  if (announced !== null) {
    await admin.put(`/specs/${job}`, { schema: { type: "object" } });
    assert.equal((await seen())[0].matches, false);
  }
  const limited = await caller("cat", { jobs: ["lab:*:Other"] });
  assert.deepEqual(await seen(limited), [], "of a worker's jobs everyone sees those that are his to see");
  expectProblem(await admin.get(`/workers/${randomUUID()}/specs`), "worker-not-found");
}

async function checks({ admin, caller }: RestScene): Promise<void> {
  const { job } = await register(admin, "Checks/with slash");
  const path = `/rooms/lab/jobs/${encodeURIComponent(job)}/check`;
  const viewer = await caller("vic", { role: "viewer" });
  const check = (body: unknown, who: Caller = viewer) => who.post(path, body);
  assert.deepEqual((await check({ payload: { angle: 1 } })).body, { valid: true, errors: [] });
  for (const payload of [{}, { angle: "a lot" }, [], null, "text", undefined]) {
    const { status, body } = await check({ payload });
    const submitted = await admin.post(`/rooms/lab/tasks/${encodeURIComponent(job)}`, { payload });
    expectProblem(submitted, "invalid-request");
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, { valid: false, errors: submitted.body.errors });
  }
  const { body: tasks } = await admin.get(`/rooms/lab/jobs/${encodeURIComponent(job)}/tasks`);
  assert.equal(tasks.total, 0, "nothing is kept");
  expectProblem(await check({ payload: { angle: 1, note: "x".repeat(2 ** 21) } }), "payload-too-large");
  expectProblem(await viewer.post("/rooms/lab/jobs/lab:modifiers:None/check", {}), "job-not-found");
  expectProblem(await check({}, await caller("dan", { rooms: ["other"] })), "forbidden");
  expectProblem(await check({}, await caller("fay", { jobs: ["lab:*:Other"] })), "forbidden");
}
