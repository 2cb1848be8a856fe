import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../core/lane.ts";
import type { Pause } from "../core/pause.ts";
import type { JobRecord, WorkerRecord } from "../ports/records.ts";
import { aJob, aPause, aWorker, jobName, workerId } from "../testing/builders.ts";
import { catalogIndex } from "./catalog-index.ts";
import { runnables } from "./runnable.ts";

const job = aJob({ checksum: "sha256:now" });
const lane: Lane = { id: 1, job: jobName, queue: "slow", labels: {}, checksum: "", paused: false, maxRunning: null };

/** Why nobody runs it, with these workers; each serves the job. */
function reason(workers: readonly Partial<WorkerRecord>[], about: Partial<JobRecord> = {}, where: Partial<Lane> = {}) {
  const index = catalogIndex();
  const all = workers.map((each, n) => aWorker({ id: workerId(n), jobs: new Map([[jobName, "sha256:now"]]), ...each }));
  index.keep({ revision: 1, jobs: [{ ...job, ...about }], lanes: [], workers: all, pauses: [] });
  return runnables(index).whyNotLane({ ...lane, ...where });
}

const old = new Map([[jobName, "sha256:old"]]);

test("why nobody runs what waits is told in one sentence, and nothing where somebody can", () => {
  const gone = { ...aWorker().session, lostAt: 5 };
  assert.equal(reason([{}]), null);
  assert.equal(reason([{ jobs: new Map([[jobName, null]]) }]), null, "fit for whatever is registered");
  assert.equal(reason([]), "no worker serves this job");
  assert.equal(reason([{ session: gone }]), "no worker serves this job");
  assert.equal(reason([{ jobs: old }, { jobs: old }]), "2 workers announce another checksum: sha256:old");
  assert.equal(reason([{ draining: true }, { draining: true }]), "all 2 workers are draining");
  assert.equal(reason([{ draining: true }]), "1 worker is draining");
  assert.equal(
    reason([{ paused: true }, { jobs: old }]),
    "1 worker announces another checksum: sha256:old; 1 worker is paused",
  );
  assert.equal(reason([{ queues: ["fast"] }]), "1 worker does not take queue 'slow'");
  assert.equal(
    reason([{}], {}, { labels: { gpu: "yes", os: "linux" } }),
    "1 worker lacks a label of gpu=yes, os=linux",
  );
  assert.equal(reason([{}], {}, { paused: true }), "queue 'slow' is paused for this job");
  assert.match(reason([{}], { spec: { ...job.spec, push: "{}" } }) ?? "", /pushed/);
  assert.equal(reason([{ jobs: old }, {}]), null, "one is enough");
});

test("of a job as a whole, the queue it has by itself counts", () => {
  const index = catalogIndex();
  const slow = { ...job, spec: { ...job.spec, queue: "slow" } };
  const worker = aWorker({ queues: ["slow"], jobs: new Map([[jobName, "sha256:now"]]) });
  index.keep({ revision: 1, jobs: [job], lanes: [], workers: [worker], pauses: [] });
  const known = runnables(index);
  assert.equal(known.whyNotJob(slow), null);
  assert.equal(known.whyNotJob(job), "1 worker does not take queue 'default'");
});

test("what somebody has paused runs nowhere, whoever could run it", () => {
  const index = catalogIndex();
  const worker = aWorker({ jobs: new Map([[jobName, "sha256:now"]]) });
  const known = runnables(index);
  const whyWith = (...pauses: readonly Pause[]) => {
    index.keep({ revision: 1, jobs: [job], lanes: [], workers: [worker], pauses });
    const why = known.whyNotLane(lane);
    const ended = pauses.map((pause) => ({ ...pause, endedAt: 1 }));
    index.keep({ revision: 2, jobs: [], lanes: [], workers: [], pauses: ended });
    return why;
  };
  assert.equal(whyWith(aPause({ kind: "job", name: jobName })), "the job is paused");
  assert.equal(whyWith(aPause({ kind: "queue", name: "slow" })), "queue 'slow' is paused");
  assert.equal(whyWith(aPause({ kind: "worker", name: worker.id })), "1 worker is paused");
  assert.equal(whyWith(), null);
});
