// “Three exceptional flows are handled explicitly”, and what is transient, with real PostgreSQL (LEADHAND_TEST_DATABASE_URL) and
// RabbitMQ (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PoolClient } from "pg";
import { OperationRegistry, RetryLaterError } from "../../src/sdk/index.ts";
import { elapsedMs } from "../../src/sdk/system.ts";
import { query } from "../fresh-database.ts";
import { gate, stage, withBoth } from "./document-scene.ts";
import { insert, postgresSessions } from "./postgres-sessions.ts";

describe("exceptional flows", { ...withBoth, concurrency: true }, async () => {
  if (withBoth.skip) return;
  const scene = await stage();
  const { submit, task, is, names, events } = scene;
  const { sessions, stored, cut, url } = await postgresSessions();
  await query(url, "insert into embedding values ('LEFT', 0), ('RIGHT', 0)");
  const runs = new Map<string, number[]>();
  const both = { LEFT: gate(), RIGHT: gate() };
  type Name = keyof typeof both;
  const lock = (session: unknown, protein: Name) =>
    (session as PoolClient).query("update embedding set value = value + 1 where protein = $1", [protein]);
  const operations: Record<string, (session: unknown, payload: never, run: number) => Promise<void>> = {
    async deadlock(session, { first, second }: { first: Name; second: Name }, run) {
      await (session as PoolClient).query("set local deadlock_timeout = '20ms'");
      await lock(session, first);
      if (run <= 2) {
        void both[first].pass();
        await both[second].entered;
      }
      await lock(session, second);
    },
    async conflict(session) {
      await (session as PoolClient).query("do $$ begin raise exception 'again' using errcode = '40001'; end $$");
    },
    async reset(session, _, run) {
      if (run === 1) await Promise.all([(session as PoolClient).query("select pg_sleep(20)"), cutSleeper()]);
      await insert(session, "RESET");
    },
    async idle(session, _, run) {
      if (run === 1) await cut(session);
      await insert(session, "IDLE");
    },
    async busy(_session, _payload, run) {
      if (run < 3) throw new RetryLaterError("The GPU is already occupied", 0.25);
    },
  };

  async function cutSleeper(): Promise<void> {
    const sleeping = "select pid from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'";
    let found: unknown[] = [];
    while (found.length === 0) found = await query(url, sleeping);
    await query(url, "select pg_terminate_backend($1)", [(found[0] as { pid: number }).pid]);
  }

  const registry = new OperationRegistry();
  for (const [name, run] of Object.entries(operations)) {
    registry.register({
      name,
      async execute(session, payload) {
        const times = [...(runs.get(name) ?? []), elapsedMs()];
        runs.set(name, times);
        await run(session, payload as never, times.length);
        return {};
      },
    });
  }
  scene.consume(registry, { concurrency: 8, sessions });

  it("“Postgres deadlocks … are retried”: two jobs that block each other both succeed, one of them at its second try", async () => {
    const [one, other] = [
      await submit("deadlock", { first: "LEFT", second: "RIGHT" }),
      await submit("deadlock", { first: "RIGHT", second: "LEFT" }),
    ];
    await is(one, "completed");
    await is(other, "completed");
    assert.equal(runs.get("deadlock")?.length, 3);
    const rows = await query(url, "select value from embedding where protein in ('LEFT', 'RIGHT')");
    assert.deepEqual(rows, [{ value: 2 }, { value: 2 }], "each has written once");
    for (const id of [one, other]) assert.deepEqual(await names(id), ["job.created", "job.started", "job.succeeded"]);
  });

  it("“retried up to 3 times with exponential backoff before the job is marked FAILED”", async () => {
    const id = await submit("conflict");
    await is(id, "failed");
    assert.equal((await task(id)).error_code, "40001");
    const [first = 0, second = 0, third = 0, ...more] = runs.get("conflict") ?? [];
    assert.deepEqual(more, []);
    const [before, after] = [second - first, third - second];
    // Each wait may be longer on a busy machine, and no shorter.
    assert.ok(before >= 690 && after >= 1_390, `${before} ms, then ${after} ms`);
    assert.deepEqual(await names(id), ["job.created", "job.started", "job.failed"], "the claim is not repeated");
  });

  for (const [name, when] of [
    ["reset", "in the middle of a statement"],
    ["idle", "between two statements"],
  ] as const) {
    it(`“brief connection resets … are retried”: ${when}`, async () => {
      const id = await submit(name);
      await is(id, "completed");
      assert.equal(runs.get(name)?.length, 2);
      assert.ok((await stored()).includes(name.toUpperCase()));
    });
  }

  it("“RetryLaterError: the job is reset to QUEUED and the consumer re-publishes it after delay_seconds”", async () => {
    const id = await submit("busy");
    await is(id, "completed");
    const again = ["job.started", "job.retry_later"];
    assert.deepEqual(await names(id), ["job.created", ...again, ...again, "job.started", "job.succeeded"]);
    const told = (await events(id)).filter(({ name }) => name === "job.retry_later" || name === "job.started");
    const at = told.map(({ at: when }) => Date.parse(when));
    const [, asked = 0, back = 0, askedAgain = 0, last = 0] = at;
    assert.ok(back - asked >= 250 && last - askedAgain >= 500, `${back - asked} ms, then ${last - askedAgain} ms`);
    assert.equal((await task(id)).failures ?? 0, 0, "it is no failure");
  });
});
