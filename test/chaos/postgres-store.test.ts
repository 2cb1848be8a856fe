// Two stores at work on one PostgreSQL that is restarted, crashed, and whose connections are ended. Whatever a store
// said must be what the database holds: nothing accepted is lost, nothing is there twice, no claim is stranded.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { historyFault } from "../../src/core/history.ts";
import type { ClaimedTask, TaskWrite } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import type { HistoryRecord } from "../../src/ports/store-reads.ts";
import { postgresStore } from "../../src/stores/postgres/postgres-store.ts";
import { aCall, aDemand, aKey, aTaker, aTask, aWrite, jobName, workerId } from "../../src/testing/builders.ts";
import { postgresSchema } from "../../src/testing/postgres-schema.ts";
import { realSurroundings } from "../../src/testing/real-surroundings.ts";
import { type RecordedLog, recordedLog } from "../../src/testing/recorded-log.ts";
import { cancel, complete, stageOn } from "../../src/testing/store-contract/stage.ts";
import { NoPostgres, type Postgres, startPostgres } from "../../tools/postgres.ts";

const { clock, ids } = realSurroundings();

let postgres: Postgres | undefined;
before(async () => {
  postgres = await startPostgres({ settings: { max_connections: 60 } }).catch((error: unknown) => {
    if (error instanceof NoPostgres) return undefined;
    throw error;
  });
});
after(() => postgres?.stop());

describe("two stores on a PostgreSQL that breaks", () => {
  trial("its server is restarted, and crashes", async (server) => {
    for (const mode of ["fast", "immediate", "fast", "immediate"] as const) {
      await pause(700);
      await server.restart(mode);
    }
  });

  trial("connections are ended all the time", async (server) => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    for (let round = 0; round < 60; round += 1) {
      await pause(50);
      await client.query(`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where application_name in ('leadhand writer', 'leadhand looker')
        order by random()
        limit 2`);
    }
    await client.end();
  });

  trial("nothing is wrong", () => pause(2_000), assertNoConflicts);
});

type Check = (log: RecordedLog) => void;

function trial(what: string, trouble: (server: Postgres) => Promise<void>, check: Check = () => undefined): void {
  test(`while ${what}, every answer is true`, { timeout: 120_000 }, async (t) => {
    if (postgres === undefined) return t.skip("there is no PostgreSQL here");
    const server = postgres;
    const schema = postgresSchema(server.url);
    const log = recordedLog();
    const open = () => postgresStore({ url: server.url, schema: schema.name, log, clock, waitMs: 30_000 });
    const stores = [open(), open()] as const;
    for (const store of stores) await store.start();
    const load = loadOn(stores, await beginning(stores[0]));
    const working = load.run();
    await trouble(server);
    load.stop();
    await working;
    await load.verify();
    check(log);
    t.diagnostic(load.summary());
    for (const store of stores) await store.stop();
    await schema.drop();
  });
}

/** A deadlock is mended by running again, but it costs a second: cancel, sweep and settle must not need it. */
function assertNoConflicts(log: RecordedLog): void {
  const conflicts = log.lines.filter((line) => /asked to run a transaction again/.test(line.message));
  assert.deepEqual(conflicts, []);
}

async function beginning(store: Store): Promise<number> {
  const stage = stageOn(store);
  const lane = await stage.begin();
  for (const n of [2, 3, 4]) await stage.worker(n);
  return lane;
}

function loadOn(stores: readonly [Store, Store], lane: number) {
  const accepted = new Set<string>();
  const ended = new Map<string, string>();
  let stopped = false;
  const storeOf = (n: number) => stores[n % 2] as Store;

  const end = ({ next, outcome }: TaskWrite) => {
    if (outcome === null) return;
    assert.equal(ended.has(next.id), false, `task ${next.id} ends once`);
    ended.set(next.id, `${outcome.state} at version ${next.version}`);
  };

  async function submitter(n: number): Promise<void> {
    for (let round = 0; !stopped; round += 1) {
      const tasks = Array.from({ length: 5 }, () => aTask({ id: ids.next(), lane, createdAt: clock.now() }));
      const key = aKey({ key: `${n} ${round}`, at: clock.now() });
      const call = aCall({ tasks, jobs: [{ name: jobName, revision: 1 }], key: n === 0 ? key : null });
      assert.deepEqual(await storeOf(n).submit([call]), [{ kind: "accepted" }]);
      for (const { card } of tasks) accepted.add(card.id);
    }
  }

  async function worker(n: number): Promise<void> {
    let held: readonly ClaimedTask[] = [];
    while (!stopped || held.length > 0) {
      const now = clock.now();
      const writes = held.map((task, index) => (index % 7 === 6 ? released(task, now) : aWrite(task, [complete], now)));
      const taker = aTaker({ worker: workerId(1 + (n % 4)), limit: stopped ? 0 : 10, assign: true });
      const { written, claimed } = await storeOf(n).exchange(
        writes,
        [aDemand({ lanes: [lane], takers: [taker] })],
        now,
      );
      writes.filter((_, index) => written[index]).forEach(end);
      held = claimed.flat(2);
    }
  }

  /** Cancels some of what is held and some of what waits, several at once, as a sweep would. */
  async function canceller(n: number): Promise<void> {
    while (!stopped) {
      const held = await storeOf(n).find("held", { workers: [1, 2, 3, 4].map(workerId), limit: 12 });
      const tasks = held.filter((_, index) => index % 4 === n % 4);
      const amended = await storeOf(n).amend({ tasks }, (view) => {
        const writes = [...view.tasks.values()].map((task) => aWrite(task, [cancel], clock.now()));
        return { answer: writes, tasks: writes };
      });
      amended.answer.forEach(end);
    }
  }

  return {
    run: () => Promise.all([...[0, 1].map(submitter), ...[0, 1, 2, 3].map(worker), ...[0, 1].map(canceller)]),
    stop() {
      stopped = true;
    },
    async verify() {
      const histories = await allHistories(stores[0]);
      const there = new Map(histories.map((record) => [record.task.card.id, record]));
      assert.deepEqual(
        [...accepted].filter((id) => !there.has(id)),
        [],
        "accepted and lost",
      );
      assert.deepEqual(
        [...there.keys()].filter((id) => !accepted.has(id)),
        [],
        "there, but never accepted",
      );
      for (const { task, events } of histories) {
        assert.equal(historyFault(events, task.row), null, task.card.id);
        const said = ended.get(task.card.id);
        if (task.outcome !== null) assert.equal(`${task.outcome.state} at version ${task.row.version}`, said);
        else assert.equal(said, undefined, `${task.card.id} was said to have ended`);
      }
      assert.deepEqual(await stores[0].find("held", { workers: [1, 2, 3, 4].map(workerId), limit: 9 }), [], "stranded");
    },
    summary: () => `${accepted.size} tasks accepted, ${ended.size} ended`,
  };
}

function released(task: ClaimedTask, now: number): TaskWrite {
  return aWrite(task, [{ type: "release", reason: "drain" }], now);
}

async function allHistories(store: Store): Promise<HistoryRecord[]> {
  const all: HistoryRecord[] = [];
  for (let last: string | null = null; ; last = all.at(-1)?.task.card.id ?? null) {
    const page: readonly HistoryRecord[] = await store.read("histories", { after: last, limit: 1_000 });
    all.push(...page);
    if (page.length < 1_000) return all;
  }
}
