// The source document about the worker protocol, sentence by sentence, by a worker that shares no code with ours. The
// names of the tests follow its words. Where time matters the windows are short; the document's own five seconds are
// waited for once, beside everything else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/server/system.ts";
import { until } from "../../src/testing/until.ts";
import { target } from "../push/target.ts";
import { restScene } from "../rest/scene.ts";
import { anything, checksumOf, type Message, registration, shop, succeeded } from "./raw-worker.ts";

const document = await restScene();
const scene = await restScene({
  ...{ "work-lost-after": "1000", "work-heartbeat-interval": "100", "push-allow-private": "true" },
});
const { spec, submit, task, taskIs, history, worker: workerOf, hired, connect, ada } = await shop(scene);
const clock = systemClock();

/** As the document has it: a worker with one job that falls silent, and one that is there all the time. */
async function fiveSeconds() {
  const old = await shop(document);
  const id = await old.spec();
  const silent = await old.hired([id], { ready: 1 });
  const held = await old.submit(id);
  await silent.worker.takes();
  silent.worker.beat({ ackedAssignment: 1 });
  const lastBeatAt = clock.now();
  const steady = await old.hired([id], { ready: 1 });
  const stop = steady.worker.keepBeating({ ready: 1, ackedAssignment: 0 });
  const code = await silent.worker.ends(15_000);
  const afterMs = clock.now() - lastBeatAt;
  const again = await steady.worker.takes();
  stop();
  return { code, afterMs, held, again, history: await old.history(held) };
}
const silence = fiveSeconds();
// How it went is told by its test.
silence.catch(() => undefined);

test("a job that is triggered through a push-based mechanism does not come into play here", async () => {
  const lambda = await target();
  const id = await spec({ push: { url: `${lambda.url}/function` } });
  const { worker, welcome } = await hired([id], { ready: 1 });
  assert.deepEqual([welcome.specs[0].accepted, welcome.specs[0].reason], [false, "push"]);
  lambda.answers("/function", (reply) => reply.end('{"by": "lambda"}'));
  const job = await submit(id);
  assert.deepEqual((await taskIs(job, "completed")).result, { by: "lambda" });
  await worker.hearsNothing();
});

test("workers request work from the server, instead of the server pushing work to the worker", async () => {
  const id = await spec();
  const job = await submit(id);
  const { worker } = await hired([id]);
  await worker.hearsNothing();
  worker.beat({ ready: 1 });
  assert.equal((await worker.takes()).id, job);
});

test("each worker connects to the /work WebSocket and begins sending heartbeat messages", async () => {
  for (const path of ["/work", "/v1/work"]) {
    const worker = await connect(ada.token, path);
    worker.beat({ registration: registration([]) });
    assert.equal((await worker.hears("welcome")).type, "welcome");
  }
  const plain = await scene.send("GET", "/work", { token: ada.token });
  assert.deepEqual([plain.status, plain.body.type], [426, "/v1/problems/upgrade-required"]);
});

test("when the worker indicates it is ready, assignments come with information about the work to be done", async () => {
  const id = await spec();
  const { worker } = await hired([id], { ready: 1 });
  const job = await submit(id, { payload: { pages: [1, 2], name: "ü" } });
  assert.deepEqual(
    await worker.takes().then(({ id: jobId, spec: asked, parameters }) => ({ jobId, asked, parameters })),
    { jobId: job, asked: { id, checksum: checksumOf(anything) }, parameters: { pages: [1, 2], name: "ü" } },
  );
});

test("in proper operation the worker does not have to interact with any other API than this WebSocket", async () => {
  const id = await spec();
  const { worker, welcome } = await hired([id], { ready: 1 });
  const jobs = [await submit(id), await submit(id)];
  for (const seq of [1, 2]) {
    const job = await worker.takes();
    worker.beat({ ready: seq === 1 ? 1 : 0, ackedAssignment: seq, results: [succeeded(job, seq)] });
    assert.ok((await worker.hears("resultAck", ({ jobId }) => jobId === job.id)).accepted);
  }
  worker.beat({ state: "draining" });
  worker.close(1000);
  for (const job of jobs) assert.equal((await task(job)).status, "completed");
  await until("it is gone", async () => (await workerOf(welcome.workerId)).state === "DELETED");
});

test("heartbeats serve multiple purposes, depending on what data is filled out: registration, status and results", async () => {
  const id = await spec();
  const { worker, welcome } = await hired([id], { ready: 1 });
  await submit(id);
  const job = await worker.takes();
  worker.beat({
    registration: registration([id], { hostname: "renamed" }),
    status: { worker: { cpuPercent: 12.5 }, jobs: [{ jobId: job.id, attempt: 1, progress: { current: 3 } }] },
    results: [succeeded(job)],
  });
  await worker.hears("resultAck");
  const { hostname, status } = await workerOf(welcome.workerId);
  assert.deepEqual([hostname, status.cpuPercent, (await task(job.id)).status], ["renamed", 12.5, "completed"]);
});

test("sent if it has been more than a second since the last, they assure the server that the worker is still online", async () => {
  const { welcome } = await (await shop(document)).hired([]);
  assert.deepEqual([welcome.heartbeatMaxGapMs, welcome.lostAfterMs], [1_000, 5_000]);
  const id = await spec();
  const { worker, welcome: mine } = await hired([id], { ready: 1 });
  const job = await submit(id);
  await worker.takes();
  const stop = worker.keepBeating({ ackedAssignment: 1 });
  const beats = () => worker.heard.filter(({ type }) => type === "beat").length;
  await until("two windows have passed", () => beats() >= 22, 10_000);
  assert.equal((await workerOf(mine.workerId)).state, "ONLINE");
  assert.deepEqual(await history(job), ["task.submitted", "task.assigned"]);
  stop();
});

test("the receipt of the first heartbeat message registers the worker to the system", async () => {
  const count = async () => (await scene.admin.get("/workers?limit=0")).body.total;
  const before = await count();
  const worker = await connect();
  assert.equal(await count(), before);
  worker.beat({ registration: registration([]) });
  const { workerId } = await worker.hears("welcome");
  assert.equal((await workerOf(workerId)).profile, "work");
  assert.equal(await count(), before + 1);
});

test("it is expected to include metadata like its hostname and operating system, used for monitoring and diagnostics", async () => {
  const about = { hostname: "press-7", os: "plan9", arch: "arm64", runtime: "lua 5.4", pid: 77 };
  const { welcome } = await hired([], {}, about);
  const seen = await workerOf(welcome.workerId);
  assert.deepEqual([seen.hostname, seen.os], ["press-7", "plan9"]);
  assert.deepEqual(seen.about, { ...seen.about, arch: "arm64", runtime: "lua 5.4", pid: 77 });
  for (const part of ["hostname", "os", "specs"]) {
    const worker = await connect();
    worker.beat({ registration: { ...registration([]), [part]: undefined } });
    assert.match(JSON.stringify(await worker.hears("error")), new RegExp(part));
    assert.equal(await worker.ends(), 4400, part);
  }
});

test("it also includes a list of queues to grab work from, and job specs that the worker implements", async () => {
  const [mine, others] = [await spec(), await spec()];
  const { worker, welcome } = await hired([mine], { ready: 5 }, { queues: ["default", "reports"] });
  await submit(mine, { queue: "films" });
  await submit(others);
  const wanted = [await submit(mine), await submit(mine, { queue: "reports" })];
  assert.deepEqual([(await worker.takes()).id, (await worker.takes()).id], wanted);
  await worker.hearsNothing();
  const seen = await workerOf(welcome.workerId);
  assert.deepEqual(seen.queues, ["default", "reports"]);
  assert.deepEqual(seen.specs, { [`@global:specs:${mine}`]: checksumOf(anything) });
});

test("the worker notifies of changes in variable worker metadata, like CPU and RAM usage", async () => {
  const { worker, welcome } = await hired([]);
  const status = async () => (await workerOf(welcome.workerId)).status;
  worker.beat({ status: { worker: { cpuPercent: 12.5, ramBytes: 1_000 } } });
  await until("both are seen", async () => (await status()).ramBytes === 1_000);
  worker.beat({ status: { worker: { cpuPercent: 80 } } });
  await until("one has changed", async () => (await status()).cpuPercent === 80);
  assert.equal((await status()).ramBytes, 1_000, "what is left out is as it was");
});

test("the worker notifies of changes in job status, such as progress indicators", async () => {
  const id = await spec();
  const { worker } = await hired([id], { ready: 1 });
  await submit(id);
  const { id: jobId, attempt } = await worker.takes();
  const progress = { current: 3, total: 10, message: "page 3" };
  worker.beat({ status: { jobs: [{ jobId, attempt, state: "running", progress }] } });
  await until("it is seen", async () => (await task(jobId)).progress?.current === 3);
  assert.deepEqual((await task(jobId)).progress, { ...(await task(jobId)).progress, ...progress });
});

test("logs are taken if they were requested when the job was assigned and are supported by the worker", async () => {
  const id = await spec();
  const { worker } = await hired([id], { ready: 2 }, { capabilities: { logs: true } });
  await submit(id, { logs: { requested: true, level: "info" } });
  await submit(id, { logs: { requested: false } });
  const jobs = [await worker.takes(), await worker.takes()];
  assert.deepEqual(
    jobs.map(({ logs }: Message) => logs),
    [
      { requested: true, level: "info" },
      { requested: false, level: null },
    ],
  );
  const line = { level: "info", message: "pressing" };
  worker.beat({ status: { logs: jobs.map(({ id: jobId, attempt }: Message) => ({ jobId, attempt, ...line })) } });
  const messages = async (of: number) => (await ada.get(`/tasks/${jobs[of].id}/logs`)).body.items;
  await until("the wanted one is kept", async () => (await messages(0)).length === 1);
  assert.deepEqual(await messages(1), []);

  const mute = await hired([id], { ready: 1 });
  await submit(id, { logs: { requested: true, level: "debug" } });
  const job = await mute.worker.takes();
  mute.worker.beat({ results: [succeeded(job)] });
  await taskIs(job.id, "completed");
});

test("updates are batched up, and some events, such as alerts, may be reported sooner", async () => {
  const id = await spec();
  const { worker, welcome } = await hired([id], { ready: 3 });
  const ids = [await submit(id), await submit(id), await submit(id)];
  const jobs = [await worker.takes(), await worker.takes(), await worker.takes()];
  const reports = jobs.map(({ id: jobId, attempt }, at) => ({ jobId, attempt, progress: { current: at + 1 } }));
  worker.beat({ status: { jobs: reports } });
  await until("all are seen", async () => (await task(ids[2] as string)).progress?.current === 3);
  const alert = { severity: "warning", code: "disk_low", message: "3 GB left" };
  worker.beat({ status: { alerts: [alert] } });
  const raised = async () => (await scene.admin.get("/alerts")).body.items[0];
  await until("it is listed", async () => (await raised())?.worker_id === welcome.workerId);
  assert.deepEqual(await raised(), { ...(await raised()), ...alert });
});

test("whenever a job fails or succeeds, results include any relevant return data or error details", async () => {
  const id = await spec();
  const { worker } = await hired([id], { ready: 2 });
  await submit(id);
  await submit(id);
  const [good, bad] = [await worker.takes(), await worker.takes()];
  const error = { code: "OutOfInk", message: "no ink", details: { tank: 2 }, retryable: false };
  const failed = { jobId: bad.id, attempt: 1, outcome: "failed", error };
  worker.beat({ results: [succeeded(good, { pages: 3 }), failed] });
  assert.deepEqual((await taskIs(good.id, "completed")).result, { pages: 3 });
  const told = await taskIs(bad.id, "failed");
  assert.deepEqual([told.error, told.error_code, told.error_details], ["no ink", "OutOfInk", { tank: 2 }]);
});

test("the worker indicates it is ready for additional work as part of the result heartbeat, unless it enters a warm shutdown", async () => {
  const id = await spec();
  const { worker } = await hired([id], { ready: 1 });
  const [, second, third] = [await submit(id), await submit(id), await submit(id)];
  worker.beat({ ready: 1, ackedAssignment: 1, results: [succeeded(await worker.takes())] });
  const next = await worker.takes();
  assert.equal(next.id, second);
  worker.beat({ ready: 0, state: "draining", ackedAssignment: 2, results: [succeeded(next)] });
  await worker.hears("resultAck", ({ jobId }) => jobId === second);
  await worker.hearsNothing();
  assert.equal((await task(third)).status, "pending");
});

test("heartbeats include an indicator of how many jobs the worker wants assigned to it, and it never gets more", async () => {
  const id = await spec();
  const { worker } = await hired([id], { ready: 3, ackedAssignment: 0 });
  for (let count = 0; count < 10; count += 1) await submit(id);
  await worker.hears("assignment", ({ seq }) => seq === 3);
  worker.beat({ ready: 0, ackedAssignment: 3 });
  await worker.hearsNothing();
  assert.equal(worker.heard.filter(({ type }) => type === "assignment").length, 3);
});

test("the server assumes the worker is processing the job, and is only concerned if no heartbeat is received within five seconds", async () => {
  const { code, afterMs, held, again, history: events } = await silence;
  assert.equal(code, 4408);
  assert.ok(afterMs >= 4_990 && afterMs < 8_000, `after ${afterMs} ms`);
  assert.deepEqual([again.id, again.attempt], [held, 2]);
  // Nothing had to be accepted: it was assigned and running in one step.
  assert.deepEqual(events, ["task.submitted", "task.assigned", "task.lost", "task.assigned"]);
});
