import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { executorEntry } from "../../src/cli/executor-entry.ts";
import { internalBroker } from "../../src/server/internal-broker.ts";
import { anInternalJob, fakeBroker } from "../../src/testing/fake-broker.ts";
import { until } from "../../src/testing/until.ts";
import { expectProblem } from "./expect-problem.ts";
import { type Reply, restScene } from "./scene.ts";

const file = fileURLToPath(new URL("../internal-jobs/jobs.ts", import.meta.url));
const { admin, caller } = await restScene({ internal: file, "internal-threads": "2" }, (config) =>
  internalBroker(config, executorEntry),
);
const ada = await caller("ada");

function submit(job: string, body: unknown = {}): Promise<Reply> {
  return ada.post(`/rooms/lab/tasks/@internal:modifiers:${job}`, body);
}

/** How the task ended, once it has. */
async function ended(job: string, payload: unknown = {}) {
  const { body } = await submit(job, { payload });
  const { body: task } = await ada.get(`/tasks/${body.id}`, { prefer: "wait=20" });
  return task;
}

async function history(id: string): Promise<string[]> {
  const { body } = await ada.get(`/tasks/${id}/events`);
  return body.items.map(({ type }: { type: string }) => type.replace("task.", ""));
}

test("the jobs of the file are there under @internal, with their schemas, whether their names said so or not", async () => {
  const { body } = await ada.get("/rooms/@internal/jobs/@internal:modifiers:Add");
  assert.deepEqual(body.schema.required, ["a", "b"]);
  assert.equal((await ada.get("/rooms/lab/jobs/@internal:modifiers:Fail")).status, 200);
});

test("a task runs in a thread of the server: claimed in the answer, with progress, logs and result", async () => {
  const answer = await submit("Add", { payload: { a: 1, b: 2 }, logs: { requested: true } });
  assert.equal(answer.status, 202);
  const { id, status, worker_id } = answer.body;
  assert.deepEqual([status, worker_id], ["claimed", null]);
  assert.equal(answer.headers.get("location"), `/v1/tasks/${id}`);
  const { body: task } = await ada.get(`/tasks/${id}`, { prefer: "wait=10" });
  assert.equal(task.status, "completed");
  assert.deepEqual([task.result.sum, task.result.main, task.worker_id], [3, false, null]);
  assert.deepEqual(task.progress, { current: 1, total: 2, message: "adding" });
  assert.deepEqual(await history(id), ["submitted", "claimed", "started", "progressed", "completed"]);
  await until("its log is written", async () => (await ada.get(`/tasks/${id}/logs`)).body.total === 1);
  const { body: logs } = await ada.get(`/tasks/${id}/logs`);
  assert.equal(logs.items[0].message, "adding 1 and 2");
});

test("a payload that does not fit is refused by the server, before any thread sees it", async () => {
  const refused = await submit("Add", { payload: { a: 1 } });
  expectProblem(refused, "invalid-request");
});

test("a failure keeps its words, retries and handing on a checkpoint are as for any worker", async () => {
  const failed = await ended("Fail");
  assert.deepEqual([failed.error, failed.error_code, failed.error_details], ["no paper", "paper", { tray: 2 }]);
  const retried = await ended("FailTwice");
  assert.deepEqual([retried.status, retried.result], ["completed", { attempt: 3 }]);
  const later = await ended("Later");
  assert.deepEqual([later.result, later.attempt], [{ page: 7 }, 2]);
});

test("a cancel by its submitter reaches the handler, and the place is free again", async () => {
  const ids = [(await submit("Wait")).body.id, (await submit("Wait")).body.id];
  const waiting = (await submit("Echo", { payload: { n: 1 } })).body;
  assert.equal(waiting.status, "pending", "both threads are busy");
  assert.equal(waiting.queue_position, 1);
  for (const id of ids) assert.equal((await ada.post(`/tasks/${id}/cancel`)).status, 200);
  const { body } = await ada.get(`/tasks/${waiting.id}`, { prefer: "wait=10" });
  assert.deepEqual([body.status, body.result], ["completed", { n: 1 }]);
});

test("a handler that blocks or ends its thread harms its own task only", async () => {
  const [blocked, died, thrown] = await Promise.all([ended("Block"), ended("Die"), ended("Throw")]);
  assert.deepEqual([blocked.status, blocked.error_code], ["failed", "JobTimeout"]);
  assert.deepEqual([died.status, died.error_code], ["failed", "executor_died"]);
  assert.match(thrown.error, /from nowhere/);
  assert.equal((await ended("Echo", { n: 2 })).status, "completed");
});

test("while a thread computes, the server answers", async () => {
  const { body: task } = await submit("Block");
  // It is soon out of time; that it began stays.
  await until("it runs", async () => (await history(task.id)).includes("started"));
  const before = performance.now();
  for (let n = 0; n < 10; n += 1) assert.equal((await ada.get("/workers")).status, 200);
  assert.ok(performance.now() - before < 2_000);
});

test("results that are too large or not as the job says fail the task", async () => {
  assert.match((await ended("Large")).error, /2000002 bytes/);
  const short = await ended("Short");
  assert.equal(short.status, "failed");
  assert.match(short.error, /result does not/i);
});

test("nobody from outside claims or reports on a task of @internal, but a superuser may overrule", async () => {
  const { body: registered } = await admin.put("/rooms/@internal/jobs", {
    ...{ category: "modifiers", name: "Wait", schema: {} },
  });
  const { id } = (await submit("Wait")).body;
  assert.equal((await admin.post("/tasks/claim", { worker_id: registered.worker_id })).body.task, null);
  const eve = await caller("eve");
  expectProblem(await eve.patch(`/tasks/${id}`, { status: "completed" }), "forbidden");
  await until("it runs", async () => (await ada.get(`/tasks/${id}`)).body.status === "running");
  assert.equal((await admin.patch(`/tasks/${id}`, { status: "failed", error: "enough" })).status, 200);
  assert.equal((await ada.get(`/tasks/${id}`)).body.error, "enough");
});

test("a job of @internal that no server runs is refused, and nothing is kept", async () => {
  await admin.put("/rooms/@internal/jobs", { category: "modifiers", name: "Nobody" });
  const { total } = (await ada.get("/rooms/lab/tasks")).body;
  expectProblem(await submit("Nobody"), "internal-job-not-configured");
  assert.equal((await ada.get("/rooms/lab/tasks")).body.total, total);
});

test("many submits at once each run once", async () => {
  const tasks = await Promise.all(Array.from({ length: 40 }, (_, n) => ended("Echo", { n })));
  assert.deepEqual(
    tasks.map(({ result, attempt }) => [result.n, attempt]),
    tasks.map((_, n) => [n, 1]),
  );
});

test("a task that no executor takes is answered all the same, as failed, with nothing to come back for", async () => {
  const job = "@internal:modifiers:Refused";
  const broker = fakeBroker([anInternalJob({ name: job })]);
  broker.refuse(true);
  const { admin: bob } = await restScene({ "stop-grace": "0s" }, () => broker);
  const { status, body, headers } = await bob.post(`/rooms/lab/tasks/${job}`, {});
  assert.deepEqual([status, body.status, body.error], [202, "failed", "Failed to dispatch to internal executor"]);
  assert.deepEqual([headers.get("location"), headers.get("retry-after")], [null, null]);
  broker.refuse(false);
  const again = await bob.post(`/tasks/${body.id}/retry`);
  assert.deepEqual([again.status, again.body.status, again.body.retry_of], [202, "claimed", body.id]);
});
