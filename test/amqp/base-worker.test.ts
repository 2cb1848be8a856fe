// The document's BaseWorker against a whole server on PostgreSQL (LEADHAND_TEST_DATABASE_URL). It needs no broker, because it is
// handed the ids of jobs: “The caller (QueueConsumer) is responsible for acking/nacking”.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  BaseWorker,
  HeartbeatLoop,
  LEASE_REQUEUE_EVENT,
  OperationRegistry,
  RetryLaterError,
  ShutdownGuard,
  WorkerShutdown,
} from "../../src/sdk/index.ts";
import { newKey } from "../../src/sdk/system.ts";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, query, withPostgres } from "../fresh-database.ts";
import { restScene } from "../rest/scene.ts";
import { patiently } from "./document-scene.ts";
import { proxy } from "./proxy.ts";

class GpuLost extends Error {
  override readonly name = "GpuLost";
}

const queue = "protea.jobs";

async function aScene(
  settings: Readonly<Record<string, string>> = {},
  isRefused: (path: string) => boolean = () => false,
) {
  const database = await freshDatabase();
  const { admin, url, stop } = await restScene({ "database-url": database, ...settings });
  const runs: string[] = [];
  const ends: (() => void)[] = [];
  const registry = new OperationRegistry()
    .register({ name: "load", execute: (_, { _job_id: id }) => ({ ran: runs.push(String(id)) > 0 }) })
    .register({
      name: "fail",
      execute() {
        throw new GpuLost("It fell off the bus");
      },
    })
    .register({
      name: "later",
      execute() {
        throw new RetryLaterError("The GPU is taken", 60);
      },
    })
    .register({
      name: "wait",
      execute: () => new Promise<undefined>((resolve) => ends.push(() => resolve(undefined))),
    });
  const where = { url: await proxy(url, undefined, isRefused), token: admin.token };
  const aWorker = (known: OperationRegistry) => new BaseWorker({ registry: known, queue, ...where, log: null });
  const worker = aWorker(registry);
  after(() => {
    for (const end of ends) end();
    return worker.close();
  });
  // It registers its operations with the first job it is handed.
  await worker.handleJob(newKey());

  async function submit(operation: string): Promise<string> {
    const path = `/rooms/@global/tasks/@global:operations:${operation}`;
    const { body, status } = await admin.post(path, { payload: {}, queue });
    assert.equal(status, 202, JSON.stringify(body));
    return body.id;
  }
  const read = async (id: string) => (await admin.get(`/tasks/${id}`)).body;
  return {
    ...{ admin, worker, aWorker, runs, submit, read, stop, finish: () => ends.splice(0).map((end) => end()) },
    /** As it is kept while it is open. */
    async row(id: string): Promise<{ state: string; started_at: string | null; leased_until: string | null }> {
      const [row] = await query(database, "select state, started_at, leased_until from open_task where id = $1", [id]);
      return row as never;
    },
    async running(): Promise<{ readonly id: string; readonly handling: Promise<void> }> {
      const [id, before] = [await submit("wait"), ends.length];
      const handling = worker.handleJob(id);
      await patiently("it runs", () => ends.length > before);
      return { id, handling };
    },
    async names(id: string): Promise<string[]> {
      const { body } = await admin.get(`/tasks/${id}/events`);
      return body.items.map(({ name }: { name: string }) => name);
    },
  };
}

describe("the base worker", withPostgres, async () => {
  if (withPostgres.skip) return;
  const { admin, worker, aWorker, runs, submit, read, row, names, running, finish } = await aScene();

  it("“Claim and execute a single job identified by job_id”, and “every state change is recorded as a JobEvent row”", async () => {
    const id = await submit("load");
    await worker.handleJob(id);
    assert.equal((await read(id)).status, "completed");
    assert.deepEqual(runs, [id]);
    assert.deepEqual(await names(id), ["job.created", "job.started", "job.succeeded"]);
  });

  it("“Silently returns if the job does not exist or is not in QUEUED status”", async () => {
    const done = await submit("load");
    await worker.handleJob(done);
    const before = [runs.length, await names(done)];
    await worker.handleJob(done);
    await worker.handleJob(newKey());
    const taken = await running();
    await worker.handleJob(taken.id);
    assert.deepEqual([runs.length, await names(done)], before);
    assert.deepEqual(await names(taken.id), ["job.created", "job.started"]);
    finish();
    await taken.handling;
  });

  it("“Re-raises any exception from the operation after recording FAILED status”", async () => {
    const id = await submit("fail");
    await assert.rejects(worker.handleJob(id), GpuLost);
    const { status, error_code, error } = await read(id);
    assert.deepEqual([status, error_code, error], ["failed", "GpuLost", "It fell off the bus"]);
  });

  it("“resolves the operation from the registry”: an operation that is in nobody's fails, and does not wait for ever", async () => {
    const name = "@global:operations:nobody_knows";
    assert.equal((await admin.put(`/specs/${name}`, { schema: {} })).status, 201);
    const id = await submit("nobody_knows");
    await assert.rejects(worker.handleJob(id), /No operation is registered under the name 'nobody_knows'/);
    const { status, error_code } = await read(id);
    assert.deepEqual([status, error_code], ["failed", "UnknownOperation"]);
    assert.deepEqual(await names(id), ["job.created", "job.started", "job.failed"]);
  });

  it("an operation that another worker of the queue knows waits for that one", async () => {
    const other = new OperationRegistry().register({ name: "theirs", execute: () => ({ by: "another" }) });
    await using another = aWorker(other);
    await another.handleJob(newKey());
    const id = await submit("theirs");
    await worker.handleJob(id);
    assert.equal((await read(id)).status, "pending");
    await another.handleJob(id);
    assert.deepEqual((await read(id)).result, { by: "another" });
  });

  it("RetryLaterError resets the job to QUEUED, and is no error", async () => {
    const id = await submit("later");
    await worker.handleJob(id);
    assert.deepEqual(await row(id), { state: "pending", started_at: null, leased_until: null });
    assert.notEqual((await read(id)).run_at, null);
  });

  it("“Extend the leased_until timestamp for a running job”, and “No-op when the job is no longer in RUNNING state”", async () => {
    const { id, handling } = await running();
    const lease = async () => Number((await row(id)).leased_until);
    const before = await lease();
    // The worker prolongs it by itself too, but not within so short a time.
    const isLonger = async (): Promise<boolean> => {
      await worker.extendLease(id);
      return (await lease()) > before;
    };
    await until("the lease is longer", isLonger, 20_000);
    await worker.extendLease(newKey());
    finish();
    await handling;
    const ended = await read(id);
    await worker.extendLease(id);
    assert.deepEqual(await read(id), ended);
  });

  it("“Transition a RUNNING job back to QUEUED so it can be re-dispatched”, with a cleared lease and start, and False “when the job is no longer RUNNING”", async () => {
    const { id, handling } = await running();
    assert.equal(await worker.requeueOnShutdown(id), true);
    assert.deepEqual(await row(id), { state: "pending", started_at: null, leased_until: null });
    finish();
    await handling;
    assert.equal((await read(id)).status, "pending", "what the operation answers later changes nothing");
    assert.equal(await worker.requeueOnShutdown(id), false);
    assert.equal(await worker.requeueOnShutdown(newKey()), false);
  });

  it("“Idempotent on terminal states”: a job that has ended stays as it ended", async () => {
    const id = await submit("load");
    await worker.handleJob(id);
    const ended = await read(id);
    for (let times = 0; times < 2; times += 1) assert.equal(await worker.requeueOnShutdown(id), false);
    assert.deepEqual(await read(id), ended);
  });

  it("a worker that is closed while it registers runs nothing, and says so; nor does one that was closed before", async () => {
    const id = await submit("load");
    const closing = aWorker(new OperationRegistry());
    const handling = closing.handleJob(id);
    await Promise.all([assert.rejects(handling, /The worker was closed/), closing.close()]);
    assert.equal(await closing.requeueOnShutdown(id), false);
    await assert.rejects(closing.handleJob(id), /The worker was closed/);
    assert.equal((await read(id)).status, "pending");
    const unused = aWorker(new OperationRegistry());
    await unused.close();
    await assert.rejects(unused.handleJob(id), /The worker was closed/);
  });

  it("a job is executed although the server has forgotten its worker meanwhile", async () => {
    const { items } = (await admin.get("/workers")).body;
    for (const { id } of items) assert.equal((await admin.delete(`/workers/${id}`)).status, 204);
    const id = await submit("load");
    await worker.handleJob(id);
    assert.equal((await read(id)).status, "completed");
  });
});

describe("the base worker and what looks after it", { ...withPostgres, concurrency: true }, async () => {
  it("“Used … to mark the in-flight job FAILED … before the process exits”: WorkerShutdown is the net where “the UPDATE could not commit”", async () => {
    const { worker, running, read, finish } = await aScene({}, (path) => path.endsWith("/release"));
    const { id, handling } = await running();
    assert.equal(await worker.requeueOnShutdown(id), false, "nothing is thrown at whoever has to end");
    assert.equal((await read(id)).status, "running");
    const exits: number[] = [];
    const guard = new ShutdownGuard((job, why) => worker.forceFail(job, why), {
      ...{
        graceMs: 10,
        requeue: (job: string) => worker.requeueOnShutdown(job),
        exit: (code: number) => void exits.push(code),
      },
    });
    guard.track(id);
    guard.arm(id);
    await patiently("the program would have ended", () => exits.length > 0);
    const { status, error_code, error } = await read(id);
    assert.deepEqual([exits, status, error_code], [[143], "failed", "WorkerShutdown"]);
    assert.equal(error, new WorkerShutdown().message);
    finish();
    await handling;
  });

  it("“If the heartbeat thread itself dies … the job will simply expire at the next reaper cycle”", async () => {
    const { worker, running, names, finish } = await aScene({ "job-lease-seconds": "2" }, (path) =>
      path.endsWith("/extend"),
    );
    const { id, handling } = await running();
    const beats = new HeartbeatLoop((job) => worker.extendLease(job), { intervalMs: 1_000 });
    beats.start(id);
    await patiently("its lease has expired", async () => (await names(id)).includes(LEASE_REQUEUE_EVENT));
    await beats.stop();
    finish();
    await handling;
  });
});
