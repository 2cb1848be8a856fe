// The search behind a claim, where it is more than a look at the head of one lane. Order is compared with a sort of all
// there is.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { Client } from "pg";
import type { Store } from "../../ports/store.ts";
import { aDemand, aLaneKey, aTaker, aTask, aWrite, taskId } from "../../testing/builders.ts";
import { manualClock, worldStart } from "../../testing/manual-clock.ts";
import { type PostgresSchema, postgresSchemas } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { complete, ids, type Stage, stageOn } from "../../testing/store-contract/stage.ts";
import { until } from "../../testing/until.ts";
import { postgresStore } from "./postgres-store.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";
const schemas = postgresSchemas(url);

interface Scene {
  readonly stage: Stage;
  readonly lane: number;
  readonly schema: PostgresSchema;
  another(): Promise<Store>;
}

async function onStage(body: (scene: Scene) => Promise<void>): Promise<void> {
  const schema = schemas.take();
  const open = () => postgresStore({ url, schema: schema.name, log: recordedLog(), clock: manualClock() });
  const stores = [open()];
  const another = async () => {
    const store = open();
    stores.push(store);
    await store.start();
    return store;
  };
  try {
    await stores[0]?.start();
    const stage = stageOn(stores[0] as Store);
    await body({ stage, lane: await stage.begin(), schema, another });
  } finally {
    for (const store of stores) await store.stop();
    await schemas.giveBack(schema);
  }
}

function scene(sentence: string, body: (scene: Scene) => Promise<void>): void {
  test(sentence, { timeout: 120_000 }, () => onStage(body));
}

async function makeLanes(stage: Stage, count: number): Promise<number[]> {
  const keys = Array.from({ length: count }, (_, n) => aLaneKey({ queue: `q${n}` }));
  return (await stage.amend({ lanes: keys })).lanes.map((lane) => lane.id);
}

describe("PostgreSQL, searching for tasks", { skip }, () => {
  after(() => schemas.dropAll());

  test("however tasks are spread over the lanes, they go out in the order of all of them", {
    timeout: 120_000,
  }, async () => {
    const spread = fc.record({
      lanes: fc.integer({ min: 2, max: 40 }),
      /** How many tasks come one after the other into the same lane, and how many of each burst are urgent. */
      bursts: fc.array(
        fc.record({ lane: fc.nat({ max: 39 }), many: fc.integer({ min: 1, max: 60 }), urgent: fc.nat({ max: 2 }) }),
        { minLength: 1, maxLength: 25 },
      ),
      claims: fc.array(fc.constantFrom(1, 2, 5, 20, 100, 300), { minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(spread, ({ lanes, bursts, claims }) =>
        onStage(async ({ stage }) => {
          const made = await makeLanes(stage, lanes);
          const tasks = bursts
            .flatMap(({ lane, many, urgent }) =>
              Array.from({ length: many }, (_, n) => ({
                lane: made[lane % lanes] as number,
                priority: n < urgent ? 5 : 0,
              })),
            )
            .map((about, n) => aTask({ id: taskId(n), ...about }));
          await stage.submit(...tasks);
          const line = tasks
            .map(({ card }) => card)
            .sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1))
            .map((card) => card.id);
          for (const limit of claims) assert.deepEqual(ids(await stage.claims(made, { limit })), line.splice(0, limit));
        }),
      ),
      { numRuns: 25 },
    );
  });

  scene("among many lanes, one that is not at the head and has the most is not cut short", async ({ stage }) => {
    const lanes = await makeLanes(stage, 200);
    const single = Array.from({ length: 20 }, (_, n) => 10 + n);
    const tasks = [...single, ...Array.from({ length: 900 }, () => 150)].map((lane, n) =>
      aTask({ id: taskId(n), lane: lanes[lane] as number }),
    );
    await stage.submit(...tasks);
    const line = ids(tasks);
    assert.deepEqual(ids(await stage.claims(lanes, { limit: 100 }, now)), line.splice(0, 100));
    const older = single.map((lane, n) => aTask({ id: taskId(n - 20), lane: lanes[lane] as number }));
    await stage.submit(...older);
    line.unshift(...ids(older));
    const demands = [100, 200, 50].map((limit) => aDemand({ lanes, takers: [aTaker({ limit })] }));
    const { claimed } = await stage.store.exchange([], demands, now);
    assert.deepEqual(
      claimed.map((takers) => takers.flatMap(ids)),
      [line.splice(0, 100), line.splice(0, 200), line.splice(0, 50)],
    );
  });

  scene("a task that has waited for months is claimed with all that belongs to it", async ({ stage, lane }) => {
    const task = aTask({ lane, payload: '{"old":true}', submitter: "ada" });
    await stage.submit(task);
    const now = worldStart + 200 * 24 * 3_600_000;
    for (const _ of [1, 2]) {
      const claimed = await stage.claim(lane, {}, now);
      assert.deepStrictEqual([claimed.card, claimed.payload], [task.card, task.payload]);
      await stage.settle(claimed, [{ type: "release", reason: "drain" }], now);
    }
  });

  scene("after many claims, whatever becomes ready earlier in line still goes first", async ({ stage, lane }) => {
    await busy(stage, lane, 3_000);
    const [held] = await stage.claims([lane], { limit: 1 }, now);
    await stage.submit(aTask({ id: taskId(50_000), lane, priority: 1 }));
    assert.deepEqual(ids(await stage.claims([lane], {}, now)), [taskId(50_000)], "an urgent one");
    await stage.submit(aTask({ id: taskId(2), lane, priority: -1 }), aTask({ id: taskId(1), lane }));
    assert.deepEqual(ids(await stage.claims([lane], {}, now)), [taskId(1)], "an older one");
    assert(held !== undefined);
    await busy(stage, lane, 1_100);
    await stage.settle(held, [{ type: "release", reason: "drain" }], now);
    assert.deepEqual(ids(await stage.claims([lane], {}, now)), [held.row.id], "one that was given back");
    await stage.submit(aTask({ id: taskId(3), lane, priority: 2, runAt: worldStart + 1 }));
    await busy(stage, lane, 1_100);
    await stage.store.promote(now, 9);
    assert.deepEqual(ids(await stage.claims([lane], {}, now)), [taskId(3)], "one whose time has come");
  });

  scene(
    "after many claims, another server's urgent task goes first within a second",
    async ({ stage, lane, another }) => {
      const other = stageOn(await another());
      await busy(stage, lane, 3_000);
      await other.submit(aTask({ id: taskId(50_000), lane, priority: 1 }));
      assert.deepEqual(ids(await stage.claims([lane], {}, now + 1_000)), [taskId(50_000)]);
    },
  );

  scene(
    "after many claims, the last tasks of a lane are found wherever they stand",
    async ({ stage, lane, another }) => {
      const other = stageOn(await another());
      await busy(stage, lane, 2_000, 2_000);
      await other.submit(aTask({ id: taskId(50_000), lane, priority: 1 }));
      assert.deepEqual(ids(await stage.claims([lane], { limit: 5 }, now)), [taskId(50_000)]);
    },
  );

  scene("while an old snapshot is held, claims do not walk over what was claimed before them", async (s) => {
    const { stage, lane, schema } = s;
    const many = 10_000;
    const before = await entriesRead(schema);
    const release = await holdSnapshot(schema);
    try {
      await busy(stage, lane, many, many);
    } finally {
      await release();
    }
    // A connection that ends tells what it counted.
    await stage.store.stop();
    // Without floors, every claim of a hundred would look at all that were claimed before: half a million in all.
    const entries = async () => (await entriesRead(schema)) - before;
    await until("the counters are told", async () => (await entries()) >= many);
    assert((await entries()) < 10 * many, `${await entries()} entries of the index were looked at`);
  });
});

const now = worldStart + 50;

/** Submits many, and claims and completes so many of them, a hundred at a time. */
async function busy(stage: Stage, lane: number, claimed: number, submitted = claimed + 500): Promise<void> {
  const { total } = await stage.store.read("taskList", { limit: 1, offset: 0 });
  for (let from = 0; from < submitted; from += 1_000) {
    const some = Math.min(1_000, submitted - from);
    await stage.submit(...Array.from({ length: some }, (_, n) => aTask({ id: taskId(10 + total + from + n), lane })));
  }
  for (let done = 0; done < claimed; done += 100) {
    const held = await stage.claims([lane], { limit: 100, assign: true }, now);
    assert.equal(held.length, 100);
    await stage.store.exchange(
      held.map((task) => aWrite(task, [complete], now)),
      [],
      now,
    );
  }
}

/** A transaction that began before everything else and still looks. */
async function holdSnapshot(schema: PostgresSchema): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url, options: `-c search_path=${schema.name}` });
  await client.connect();
  await client.query("begin isolation level repeatable read");
  await client.query("select count(*) from open_task");
  return async () => {
    await client.query("commit");
    await client.end();
  };
}

/** How many entries of the ready index were looked at so far. */
async function entriesRead(schema: PostgresSchema): Promise<number> {
  const [row] = await schema.query<{ read: number }>(`
    select idx_tup_read::integer as read
    from pg_stat_user_indexes
    where schemaname = current_schema
      and indexrelname = 'open_task_ready'`);
  return row?.read ?? 0;
}
