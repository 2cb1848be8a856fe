import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { uuid7 } from "../../core/uuid7.ts";
import type { Store } from "../../ports/store.ts";
import { aCall, aPulse, aSlice, aTask, aWrite } from "../../testing/builders.ts";
import { type ManualClock, manualClock, worldStart } from "../../testing/manual-clock.ts";
import { type PostgresSchema, postgresSchema } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { complete, type Stage, stageOn } from "../../testing/store-contract/stage.ts";
import { until } from "../../testing/until.ts";
import { dropFromTasks, weekOf } from "./partitions.ts";
import { postgresStore } from "./postgres-store.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";
const dayMs = 24 * 3_600_000;
const weekMs = 7 * dayMs;

test("a week begins on Monday and is named after that day", () => {
  assert.deepEqual(weekOf(worldStart), {
    ...{ name: "20251229", startAt: Date.UTC(2025, 11, 29), endAt: Date.UTC(2026, 0, 5) },
  });
  assert.equal(weekOf(Date.UTC(2026, 0, 5) - 1).name, "20251229");
  assert.equal(weekOf(Date.UTC(2026, 0, 5)).name, "20260105");
});

describe("PostgreSQL, week by week", { skip }, () => {
  scene("this week and the next four are there from the beginning", async ({ weeks }) => {
    assert.deepEqual(await weeks(), ["20251229", "20260105", "20260112", "20260119", "20260126"]);
  });

  scene("the leader makes the weeks to come, and tasks that were earlier move over", async (s) => {
    const { store, stage, clock, weeks, schema } = s;
    const lane = await stage.begin();
    const early = worldStart + 6 * weekMs;
    await stage.submit(aTask({ id: idAt(early, 1), lane }), aTask({ id: idAt(worldStart, 2), lane }));
    const inDefault = async () => (await schema.query("select from task_default")).length;
    assert.equal(await inDefault(), 1);
    clock.advance(2 * weekMs);
    await store.pulse(aPulse({ now: clock.now() }));
    await until("there is a new week", async () => (await weeks()).includes("20260209"));
    assert.equal((await weeks()).length, 7);
    assert.equal(await inDefault(), 0);
    assert.deepEqual(
      (await stage.claims([lane], { limit: 9 })).map((task) => task.card.id),
      [idAt(worldStart, 2), idAt(early, 1)],
    );
    assert.equal((await store.read("events", { task: idAt(early, 1), limit: 9, offset: 0 })).total, 2);
  });

  scene("a large week that nobody keeps is dropped whole, with all that belongs to it", async (s) => {
    const { store, stage, schema, weeks } = s;
    const lane = await stage.begin();
    await endMany(stage, lane, worldStart, dropFromTasks);
    await endMany(stage, lane, worldStart + weekMs, 3);
    // More than go at once.
    for (const [id, last] of [
      [idAt(worldStart, 7), 2_000],
      [idAt(worldStart + weekMs, 1), 0],
    ]) {
      await schema.query(
        "insert into message_mark (task, chunk, done, failed) select $1::uuid, chunk, '', '' from generate_series(0, $2::int) chunk",
        [id, last],
      );
    }
    const old = aSlice({ finishedBefore: worldStart + weekMs - 1, limit: 1 });
    assert.equal(await store.prune(old), dropFromTasks);
    assert.equal((await weeks()).includes("20251229"), false);
    assert.equal((await store.read("taskList", { limit: 1, offset: 0 })).total, 3);
    for (const table of ["task", "outcome", "task_event"]) {
      const [row] = await schema.query<{ count: string }>(`select count(*) from ${table}`);
      assert.equal(Number(row?.count), table === "task_event" ? 9 : 3, table);
    }
    assert.equal((await schema.query("select from message_mark")).length, 1);
    assert.equal(await store.prune(old), 0);
    await stage.submit(aTask({ id: idAt(worldStart, 1e6), lane }));
    assert.equal((await stage.claims([lane])).length, 1, "a late task of that week finds a place");
  });

  for (const [why, keep] of [
    ["an open task", (stage: Stage, lane: number) => stage.submit(aTask({ id: idAt(worldStart, 1e6), lane }))],
    [
      "a younger outcome",
      (stage: Stage, lane: number) => endMany(stage, lane, worldStart, 1, worldStart + 2 * weekMs, 1e6),
    ],
    ["a child of an open parent", keepChild],
  ] as const) {
    scene(`a large week with ${why} is emptied in slices, and that stays`, async ({ store, stage, weeks }) => {
      const lane = await stage.begin();
      await endMany(stage, lane, worldStart, dropFromTasks);
      await keep(stage, lane);
      const slice = aSlice({ finishedBefore: worldStart + weekMs, limit: 4_000 });
      const gone = [
        await store.prune(slice),
        await store.prune(slice),
        await store.prune(slice),
        await store.prune(slice),
      ];
      assert.deepEqual(gone, [4_000, 4_000, 2_000, 0]);
      assert.equal((await weeks()).includes("20251229"), true);
      assert.equal((await store.read("taskList", { limit: 9, offset: 0 })).total > 0, true);
    });
  }

  scene("an old week that is empty goes too", async ({ store, stage, clock, weeks }) => {
    await endMany(stage, await stage.begin(), worldStart, 5);
    clock.advance(weekMs);
    const slice = aSlice({ finishedBefore: worldStart + weekMs });
    assert.equal(await store.prune(slice), 5);
    assert.equal(await store.prune(slice), 0);
    assert.equal((await weeks()).includes("20251229"), false);
  });
});

interface Scene {
  readonly store: Store;
  readonly stage: Stage;
  readonly schema: PostgresSchema;
  readonly clock: ManualClock;
  weeks(): Promise<string[]>;
}

function scene(sentence: string, body: (scene: Scene) => Promise<void>): void {
  test(sentence, { timeout: 60_000 }, async () => {
    const schema = postgresSchema(url);
    const clock = manualClock();
    const store = postgresStore({ url, schema: schema.name, log: recordedLog(), clock });
    const weeks = async () => {
      const rows = await schema.query<{ week: string }>(`
        select substring(relname from 6) as week
        from pg_class
        where relnamespace = current_schema::regnamespace
          and relname ~ '^task_[0-9]{8}$'
          and relkind = 'r'
        order by 1`);
      return rows.map((row) => row.week);
    };
    try {
      await store.start();
      await body({ store, stage: stageOn(store), schema, clock, weeks });
    } finally {
      await store.stop();
      await schema.drop();
    }
  });
}

function idAt(at: number, n: number): string {
  return uuid7(at, 0, Uint8Array.of(0, 0, 0, 0, 0, n >>> 16, (n >>> 8) & 0xff, n & 0xff));
}

/** So many tasks that were made and ended then. */
async function endMany(stage: Stage, lane: number, at: number, many: number, endedAt = at, first = 0): Promise<void> {
  for (let from = 0; from < many; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, many - from) }, (_, n) => idAt(at, first + from + n));
    await stage.store.submit([aCall({ tasks: some.map((id) => aTask({ id, lane, createdAt: at })) })]);
    const held = await stage.claims([lane], { limit: 1_000, assign: true }, at);
    await stage.store.exchange(
      held.map((task) => aWrite(task, [complete], endedAt)),
      [],
      endedAt,
    );
  }
}

async function keepChild(stage: Stage, lane: number): Promise<void> {
  const parent = idAt(worldStart + weekMs, 1);
  await stage.submit(aTask({ id: parent, lane, priority: -1 }));
  await stage.submit(aTask({ id: idAt(worldStart, 1e6), lane, parent }));
  await stage.settle(await stage.claim(lane, { assign: true }), [complete]);
}
