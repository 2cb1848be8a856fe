// “The two-session pattern that decouples job claiming from job execution”, with real PostgreSQL (LEADHAND_TEST_DATABASE_URL) and
// RabbitMQ (LEADHAND_TEST_AMQP_URL): the first session is the server's, the second one the operation's own.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OperationRegistry, OperationResult } from "../../src/sdk/index.ts";
import { query } from "../fresh-database.ts";
import { gate, patiently, stage, withBoth } from "./document-scene.ts";
import { insert, postgresSessions } from "./postgres-sessions.ts";

class NoSuchProtein extends Error {
  override readonly name = "NoSuchProtein";
}

const gates = { claimed: gate(), long: gate(), written: gate() };

describe("the two-session pattern", withBoth, async () => {
  if (withBoth.skip) return;
  const scene = await stage();
  const { submit, task, row, is, names, events, databaseUrl } = scene;
  const { sessions, stored, cut } = await postgresSessions();
  const runs: Record<string, number> = {};
  const operations = {
    async claimed() {
      await gates.claimed.pass();
      return {};
    },
    async long() {
      await gates.long.pass();
      return {};
    },
    async written(session: unknown, payload: object, emit: (event: string) => void) {
      await insert(session, "WRITTEN");
      emit("written.inserted");
      await gates.written.pass();
      return { payload };
    },
    async failing(session: unknown) {
      await insert(session, "FAILING");
      throw new NoSuchProtein("P12345 is not there");
    },
    async corrupt(session: unknown) {
      await insert(session, "CORRUPT");
      await cut(session);
      return {};
    },
    async dropped() {
      await query(
        databaseUrl as string,
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
      );
      throw new NoSuchProtein("and the server's connections are gone");
    },
    deferring: () => new OperationResult({ deferred: true, progressCurrent: 0, progressTotal: 2 }),
  };
  const registry = new OperationRegistry();
  for (const [name, run] of Object.entries(operations)) {
    registry.register({
      name,
      execute(session, payload, { emit }) {
        runs[name] = (runs[name] ?? 0) + 1;
        return run(session, payload, emit);
      },
    });
  }
  scene.consume(registry, { concurrency: 8, sessions });

  it("“After this commit the job is visible as running to any monitoring tool or frontend”", async () => {
    const id = await submit("claimed");
    await gates.claimed.entered;
    const { state, started_at, leased_until } = await row(id);
    assert.equal(state, "running");
    assert.equal(Number(leased_until) - Number(started_at), 120_000, "with a lease of two minutes");
    assert.equal((await task(id)).status, "running");
    assert.deepEqual(await names(id), ["job.created", "job.started"]);
    gates.claimed.open();
    await is(id, "completed");
    assert.deepEqual(await names(id), ["job.created", "job.started", "job.succeeded"]);
  });

  it("“No session is held open across a long-running GPU inference call”", async () => {
    const id = await submit("long");
    await gates.long.entered;
    const [{ now }] = (await query(databaseUrl as string, "select now()")) as [{ now: Date }];
    // What the server does meanwhile begins later, and is short.
    const older =
      "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start <= $1";
    await patiently(
      "no transaction is as old",
      async () => (await query(databaseUrl as string, older, [now])).length === 0,
    );
    assert.equal((await task(id)).status, "running");
    gates.long.open();
    await is(id, "completed");
  });

  it("“calls operation.execute(session, payload, emit=emit)”: what the session wrote is seen when it has succeeded, and not before", async () => {
    const id = await submit("written", { proteins: 1 });
    await gates.written.entered;
    assert.ok(!(await stored()).includes("WRITTEN"));
    await patiently("the event is seen at once", async () => {
      const { items } = (await scene.admin.get(`/tasks/${id}/logs`)).body;
      return items.some(({ event }: { event: string }) => event === "written.inserted");
    });
    gates.written.open();
    await is(id, "completed");
    assert.ok((await stored()).includes("WRITTEN"));
    assert.deepEqual((await task(id)).result, { payload: { proteins: 1, _job_id: id } });
  });

  it("“On exception, transitions to FAILED, stores the error class name and message”, and nothing of its session is kept", async () => {
    const id = await submit("failing");
    await is(id, "failed");
    const { error_code, error, result } = await task(id);
    assert.deepEqual([error_code, error, result ?? null], ["NoSuchProtein", "P12345 is not there", null]);
    assert.ok(!(await stored()).includes("FAILING"));
    assert.deepEqual(await names(id), ["job.created", "job.started", "job.failed"]);
  });

  it("“or marks it as deferred if the operation returns OperationResult(deferred=True)”", async () => {
    const id = await submit("deferring");
    await patiently("it is dispatched", async () => (await names(id)).includes("job.dispatched"));
    const { status, progress, worker_id } = await task(id);
    assert.deepEqual([status, worker_id, (await row(id)).leased_until], ["running", null, null]);
    assert.deepEqual([progress.current, progress.total], [0, 2]);
  });

  it("“Corrupt execute session: … a fallback session marks the job FAILED so it is never permanently stuck in RUNNING”", async () => {
    const id = await submit("corrupt");
    await is(id, "failed");
    assert.equal((await task(id)).error_code, "SessionCommitFailed");
    assert.equal(runs["corrupt"], 1, "nobody knows how much of a commit was done, so it is not run again");
    assert.ok(!(await stored()).includes("CORRUPT"));
  });

  it("“the DB connection drops mid-operation”: a fresh one records how it ended", async () => {
    const id = await submit("dropped");
    await is(id, "failed");
    const { error_code } = await task(id);
    assert.equal(error_code, "NoSuchProtein");
    assert.equal((await events(id)).filter(({ type }) => type === "task.failed").length, 1);
  });
});
