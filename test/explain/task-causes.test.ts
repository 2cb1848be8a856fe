// Why a task is not running: what lies in the task itself, in its job, its queue, or the address it is pushed to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aWrite } from "../../src/testing/builders.ts";
import { until } from "../../src/testing/until.ts";
import { explainScene } from "./explain-scene.ts";

const scene = await explainScene();
const { admin, job, spec, submit, claim, settle, pause, tells, expecting, operations } = scene;

test("a task behind others says its place in line", async () => {
  const { job: name } = await job("Line");
  await submit(name);
  const { facts } = await tells(await submit(name), "in-line", /^It is number 2 in line$/);
  assert.deepEqual([facts.position, facts.position_exact, facts.workers_total], [2, true, 1]);
  assert.equal(facts.workers[0].hindrance, null);
});

test("a task for later says when", async () => {
  const { job: name } = await job("Later");
  const id = await submit(name, { run_at: "2099-01-01T00:00:00.000Z" });
  const { facts } = await tells(id, "not-before", /^It is not to run before 2099-01-01 00:00:00 UTC$/);
  assert.equal(facts.run_at, "2099-01-01T00:00:00.000Z");
});

test("a task that failed and is tried again says what went wrong, and when the next attempt is", async () => {
  const { job: name, worker } = await job("Flaky");
  const id = await submit(name, { retry: { maxAttempts: 3, baseMs: 3_600_000 } });
  const { lease_token } = await claim(worker);
  await settle(id, lease_token, { status: "running" }, { status: "failed", error: "no disk" });
  const { facts } = await tells(id, "retry-wait", /^It failed once \(no disk\) and waits for its next attempt at 20/);
  assert.equal(facts.failures, 1);
});

test("a task of a job that somebody has paused says who, why and until when", async () => {
  const { job: name } = await job("Stopped");
  const id = await submit(name);
  await pause({ kind: "job", name }, { until: Date.UTC(2099, 0) });
  const sentence = /^Job '@global:modifiers:Stopped' is paused by eve until 2099-01-01 00:00:00 UTC: a flood$/;
  const { facts } = await tells(id, "job-paused", sentence);
  assert.deepEqual(
    [facts.job_pause.by, facts.job_pause.note, facts.job_pause.until],
    ["eve", "a flood", "2099-01-01T00:00:00.000Z"],
  );
  assert.equal((await admin.get(`/tasks/${id}`)).body.waiting, "the job is paused");
});

test("a task in a queue that somebody has paused says so", async () => {
  const { job: name } = await job("Queued");
  const id = await submit(name, { queue: "frozen" });
  await pause({ kind: "queue", name: "frozen" });
  await tells(id, "queue-paused", /^Queue 'frozen' is paused by eve: a flood$/);
});

test("a task whose kind may not run more often says how many run", async () => {
  const { job: name, worker } = await job("Narrow");
  const [first, second] = [await submit(name), await submit(name)];
  const [lane] = operations.catalog.lanesOfJob(name) as [number];
  await operations.lanes.setLimits(lane, { paused: false, maxRunning: 1 });
  assert.equal((await claim(worker)).id, first);
  const { facts } = await tells(second, "limit", /^Only 1 of its kind may run at a time, and 1 do$/);
  assert.deepEqual(facts.limit, { max_running: 1, running: 1 });
});

test("a task whose payload a new schema refuses says what is against it", async () => {
  const { job: name, worker } = await job("Strict");
  const id = await submit(name);
  const schema = { type: "object", properties: { angle: { type: "number" } }, required: ["angle"] };
  expecting(200, await admin.put(`/specs/${name}`, { schema }));
  const body = { category: "modifiers", name: "Strict", worker_id: worker, schema };
  expecting(200, await admin.put("/rooms/@global/jobs", body));
  assert.equal(await claim(worker), null);
  await tells(id, "payload-refused", /^The job's schema refuses its payload: .*angle.*; it is looked at again at 20/);
});

test("a task whose parent was cancelled waits for the same", async () => {
  const { job: name } = await job("Family");
  const parent = await submit(name);
  const child = await submit(name, { parent_id: parent });
  // As a server leaves it that is killed between the parent and the children.
  await scene.beside((store) =>
    store.amend({ tasks: [parent] }, (view) => {
      const task = view.tasks.get(parent);
      assert.ok(task !== undefined);
      return { answer: null, tasks: [aWrite(task, [{ type: "cancel", reason: null }], Date.now())] };
    }),
  );
  const { facts } = await tells(child, "parent-cancelled", /^Its parent was cancelled, and it is about to be$/);
  assert.equal(facts.parent_id, parent);
});

test("a task whose target fails says what it answered, and so does one whose target asks for a pause", async () => {
  scene.aimed.answers("/down", (reply) => reply.writeHead(503).end("no"));
  scene.aimed.answers("/busy", (reply) => reply.writeHead(429, { "retry-after": "3600" }).end());
  for (const [path, said] of [
    ["down", /^The address it is pushed to fails: The target answered with status 503; it is tried again at 20/],
    ["busy", /^The address it is pushed to fails: it asks for a pause; it is tried again at 20/],
  ] as const) {
    const push = { url: `${scene.aimed.url}/${path}` };
    expecting(201, await admin.put("/rooms/@global/jobs", { category: "modifiers", name: path, push }));
    const id = await submit(`@global:modifiers:${path}`, { retry: { maxAttempts: 3, baseMs: 3_600_000 } });
    await until("it waits", async () => (await admin.get(`/tasks/${id}`)).body.run_at !== null);
    const { facts } = await tells(id, "push-failing", said);
    assert.equal(facts.workers_total, 0);
    assert.match(facts.push.failure, /503|pause/);
  }
});

test("a task that somebody has says who, one that waits for its children says that, and one that is over says how", async () => {
  const { job: name, worker } = await job("Busy");
  const id = await submit(name);
  const { lease_token } = await claim(worker);
  await tells(id, "running", new RegExp(`^Worker ${worker} has it, and has not started it yet$`));
  await settle(id, lease_token, { status: "running" });
  const { facts } = await tells(id, "running", new RegExp(`^Worker ${worker} has it$`));
  assert.equal(facts.worker_id, worker);
  expecting(200, await admin.post(`/tasks/${id}/defer`, { total: 1, lease_token }));
  await tells(id, "deferred", /^It waits for its children$/);
  expecting(200, await admin.post(`/tasks/${id}/cancel`));
  await tells(id, "ended", /^It is cancelled$/);
});

test("a task whose job was removed while it ran says that there is no such job", async () => {
  const name = await spec("short-lived");
  const { id: worker } = await scene.connect("short-lived", {}, { ready: 1 });
  const id = await submit(name);
  await until("it runs", async () => (await admin.get(`/tasks/${id}`)).body.worker_id === worker);
  expecting(204, await admin.delete(`/specs/${name}`));
  expecting(200, await admin.post(`/tasks/${id}/release`, {}));
  await tells(id, "job-gone", /^Job '@global:specs:short-lived' does not exist any more$/);
});
