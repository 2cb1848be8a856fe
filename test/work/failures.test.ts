// What the contract of /work says of failures, row by row, and its small print: by a worker that shares no code with
// ours, against whole servers with short windows.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { type RestScene, restScene } from "../rest/scene.ts";
import { type Message, type RawWorker, registration, shop, succeeded } from "./raw-worker.ts";

const windows = { "work-lost-after": "2000", "work-heartbeat-interval": "100", "work-ack-within": "300" };
const scene = await restScene(windows);
const { spec, submit, task, taskIs, history, worker: workerOf, workerEvents, hired, connect } = await shop(scene);

/** A worker that holds the one job of a spec of its own, and has said that it has seen it. */
async function holding(about: object = {}) {
  const id = await spec();
  const { worker, welcome } = await hired([id], { ready: 1, ackedAssignment: 0 }, about);
  await submit(id);
  const job = await worker.takes();
  worker.beat({ ackedAssignment: 1 });
  const resume = { workerId: welcome.workerId, token: welcome.token, jobs: [{ jobId: job.id, attempt: job.attempt }] };
  return { id, worker, welcome, job, resume };
}

async function acked(worker: RawWorker, job: Message): Promise<Message> {
  return worker.hears("resultAck", ({ jobId, attempt }) => jobId === job.id && attempt === job.attempt);
}

/** At once: each has a spec of its own, and most of the time is waited for a window to pass. */
describe("each row", { concurrency: 6 }, () => {
  test("no heartbeat while the socket is open: the worker is lost, its connection ends with 4408, its job goes to another", async () => {
    const { id, worker, welcome, job } = await holding();
    assert.equal(await worker.ends(), 4408);
    const other = await hired([id], { ready: 1 });
    const again = await other.worker.takes();
    assert.deepEqual([again.id, again.attempt, again.meta.losses], [job.id, 2, 1]);
    assert.equal((await workerOf(welcome.workerId)).state, "DELETED");
    const events = (await workerEvents(welcome.workerId)).map(({ type }) => type);
    assert.ok(events.includes("worker.registered") && events.includes("worker.offline"), events.join());
  });

  test("a socket that closes without drain: a reconnect with resume inside the window keeps the job", async () => {
    const { id, worker, welcome, job, resume } = await holding();
    worker.close(4000);
    await worker.ends();
    assert.deepEqual(await history(job.id), ["task.submitted", "task.assigned"]);
    const back = await hired([id], {}, { resume });
    assert.deepEqual([back.welcome.resumed, back.welcome.lost], [true, []]);
    assert.equal(back.welcome.workerId, welcome.workerId);
    back.worker.beat({ results: [succeeded(job, "kept")] });
    assert.equal((await acked(back.worker, job)).accepted, true);
    assert.deepEqual(await history(job.id), ["task.submitted", "task.assigned", "task.completed"]);
    const types = (await workerEvents(welcome.workerId)).map(({ type }) => type);
    assert.deepEqual(types, ["worker.registered", "worker.registered"]);
  });

  test("a socket that closes without drain and does not come back: its job is lost when the window has passed", async () => {
    const { id, worker, job } = await holding();
    worker.close(1000);
    const { worker: other } = await hired([id], { ready: 1 });
    const stop = other.keepBeating({ ready: 1, ackedAssignment: 0 });
    assert.deepEqual([(await other.takes()).id, (await history(job.id))[2]], [job.id, "task.lost"]);
    stop();
  });

  test("what a worker that comes back does not list has never reached it, and goes back without a loss", async () => {
    const { id, worker, job, resume } = await holding();
    worker.close(4000);
    await worker.ends();
    const back = await hired([id], { ready: 1 }, { resume: { ...resume, jobs: [] } });
    assert.equal(back.welcome.resumed, true);
    const again = await back.worker.takes();
    assert.deepEqual([again.id, again.attempt, (await task(job.id)).losses], [job.id, 2, 0]);
  });

  test("a job is requeued after three losses, and fails as worker_lost with the fourth", async () => {
    const id = await spec();
    const job = await submit(id);
    for (const attempt of [1, 2, 3, 4]) {
      const { worker } = await hired([id], { ready: 1 });
      assert.equal((await worker.takes()).attempt, attempt);
      assert.equal(await worker.ends(), 4408);
    }
    const { error, error_code, attempt } = await taskIs(job, "failed");
    assert.deepEqual([error, error_code, attempt], ["Worker disconnected", "worker_lost", 4]);
  });

  test("the policy may have it that a lost job fails at once", async () => {
    const id = await spec({ policy: { onWorkerLost: "fail" } });
    const { worker } = await hired([id], { ready: 1 });
    const job = await submit(id);
    await worker.takes();
    assert.equal(await worker.ends(), 4408);
    assert.equal((await taskIs(job, "failed")).error_code, "worker_lost");
  });

  test("a resume after loss is welcomed, and the late result of the older attempt is refused and audited", async () => {
    const { id, worker, job, resume } = await holding();
    await worker.ends();
    const other = await hired([id], { ready: 1 });
    const again = await other.worker.takes();
    const back = await hired([id], {}, { resume });
    assert.deepEqual([back.welcome.resumed, back.welcome.workerId], [true, resume.workerId]);
    assert.deepEqual(back.welcome.lost, [{ jobId: job.id, attempt: 1 }]);
    back.worker.beat({ results: [succeeded(job, "late")] });
    const { accepted, reason } = await acked(back.worker, job);
    assert.deepEqual([accepted, reason], [false, "lease-lost"]);
    other.worker.beat({ ackedAssignment: 1, results: [succeeded(again, "good")] });
    assert.equal((await acked(other.worker, again)).accepted, true);
    assert.equal((await task(job.id)).result, "good");
    assert.ok((await history(job.id)).includes("task.result_refused"));
  });

  test("a resume with a wrong token registers a new worker, which gets none of the jobs", async () => {
    const { id, worker, welcome, job, resume } = await holding();
    const thief = await hired([id], {}, { resume: { ...resume, token: "guessed" } });
    assert.deepEqual([thief.welcome.resumed, thief.welcome.lost.length], [false, 1]);
    assert.notEqual(thief.welcome.workerId, welcome.workerId);
    thief.worker.beat({ results: [succeeded(job, "stolen")] });
    assert.equal((await acked(thief.worker, job)).accepted, false);
    worker.beat({ results: [succeeded(job, "mine")] });
    assert.equal((await acked(worker, job)).accepted, true);
    assert.equal((await task(job.id)).result, "mine");
  });

  test("a connection that is still open when its worker comes back on another ends with 4409", async () => {
    const { id, worker, resume } = await holding();
    assert.equal((await hired([id], {}, { resume })).welcome.resumed, true);
    assert.equal(await worker.ends(), 4409);
  });

  test("the same result twice is one outcome, accepted both times", async () => {
    const { worker, job } = await holding();
    worker.beat({ results: [succeeded(job, 1)] });
    await acked(worker, job);
    worker.beat({ results: [succeeded(job, 1)] });
    const acks = () => worker.heard.filter(({ type }) => type === "resultAck");
    await until("both are acknowledged", () => acks().length === 2);
    assert.ok(acks().every(({ accepted }) => accepted));
    assert.deepEqual(await history(job.id), ["task.submitted", "task.assigned", "task.completed"]);
  });

  test("a malformed frame ends its connection alone, and what the worker holds it keeps", async () => {
    const [clumsy, neighbour] = [await holding(), await holding()];
    clumsy.worker.text('{"type":"heartbeat","seq":"seven"}');
    assert.equal(await clumsy.worker.ends(), 4400);
    const { id, job, resume } = clumsy;
    const back = await hired([id], {}, { resume });
    back.worker.beat({ results: [succeeded(job)] });
    assert.equal((await acked(back.worker, job)).accepted, true);
    neighbour.worker.beat({ results: [succeeded(neighbour.job)] });
    assert.equal((await acked(neighbour.worker, neighbour.job)).accepted, true);
  });

  test("a warm shutdown: no new job, heartbeats until the last result, a normal close, and the worker is gone", async () => {
    const { id, worker, welcome, job } = await holding();
    const left = await submit(id);
    worker.beat({ state: "draining", ackedAssignment: 1 });
    await worker.hearsNothing();
    worker.beat({ state: "draining", ackedAssignment: 1, results: [succeeded(job)] });
    await acked(worker, job);
    worker.close(1000);
    await until("it is gone", async () => (await workerOf(welcome.workerId)).state === "DELETED");
    assert.deepEqual([(await task(job.id)).status, (await task(left)).status], ["completed", "pending"]);
    assert.ok((await workerEvents(welcome.workerId)).some(({ type }) => type === "worker.draining"));
  });

  for (const [retryable, status] of [
    [true, "pending"],
    [false, "failed"],
  ] as const) {
    test(`a job that fails with retryable ${retryable} and attempts left is ${status}`, async () => {
      const id = await spec({ policy: { retry: { maxAttempts: 2, backoffMs: 60_000 } } });
      const { worker } = await hired([id], { ready: 1 });
      await submit(id);
      const job = await worker.takes();
      const error = { message: "no", retryable };
      worker.beat({ results: [{ jobId: job.id, attempt: 1, outcome: "failed", error }] });
      await acked(worker, job);
      assert.equal((await task(job.id)).status, status);
    });
  }

  test("an assignment that a worker has not acknowledged in time, though it beats and says what it has seen, goes back", async () => {
    const id = await spec();
    const { worker } = await hired([id], { ready: 1, ackedAssignment: 0 }, { capabilities: { cancel: true } });
    const job = await submit(id);
    await worker.takes();
    const stop = worker.keepBeating({ ackedAssignment: 0 });
    assert.equal((await worker.hears("cancel")).jobId, job);
    stop();
    const beats = worker.heard.filter(({ type }) => type === "beat").length;
    assert.ok(beats < 15, `sooner than by default, not after ${beats} beats`);
    assert.deepEqual(await history(job), ["task.submitted", "task.assigned", "task.released"]);
    assert.equal((await task(job)).losses, 0);
  });

  test("one that never says what it has seen keeps what was sent to it while it beats", async () => {
    const id = await spec();
    const { worker } = await hired([id], { ready: 1 });
    const job = await submit(id);
    await worker.takes();
    const stop = worker.keepBeating();
    const beats = () => worker.heard.filter(({ type }) => type === "beat").length;
    await until("a second has passed", () => beats() >= 10);
    stop();
    assert.deepEqual(await history(job), ["task.submitted", "task.assigned"]);
  });

  test("a server that stops closes with 1001; its worker resumes on the next one, and nobody is lost before a window has passed", async () => {
    const first = await restScene(windows);
    const before = await shop(first);
    const id = await before.spec();
    const { worker, welcome } = await before.hired([id], { ready: 1 });
    await before.submit(id);
    const job = await worker.takes();
    worker.beat({ ackedAssignment: 1 });
    await first.serving.stop();
    assert.equal(await worker.ends(), 1001);
    const second: RestScene = await restScene({ ...windows, data: first.data });
    const next = await shop(second);
    const resume = { workerId: welcome.workerId, token: welcome.token, jobs: [{ jobId: job.id, attempt: 1 }] };
    const back = await next.hired([id], {}, { resume });
    assert.deepEqual([back.welcome.resumed, back.welcome.lost], [true, []]);
    back.worker.beat({ results: [succeeded(job, "over two servers")] });
    assert.equal((await acked(back.worker, job)).accepted, true);
    assert.deepEqual(await next.history(job.id), ["task.submitted", "task.assigned", "task.completed"]);
  });

  test("a worker that is asked to drain is told so", async () => {
    const { worker, welcome } = await hired([]);
    await scene.serving.operations.workers.change(welcome.workerId, { draining: true });
    await worker.hears("drain");
  });

  test("the announcement of a spec that does not match is a line in the worker's history", async () => {
    const id = await spec();
    const { welcome } = await hired([], {}, { specs: [{ id, checksum: "sha256:00" }] });
    const events = () => workerEvents(welcome.workerId);
    await until("it is noted", async () => (await events()).some(({ type }) => type === "worker.spec_mismatch"));
  });

  test("a worker that does not register within the window is not waited for", async () => {
    const worker = await connect();
    assert.equal(await worker.ends(), 4408);
    const fine = await connect();
    fine.beat({ registration: registration([]) });
    await fine.hears("welcome");
  });
});
