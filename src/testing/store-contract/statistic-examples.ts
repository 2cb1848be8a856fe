import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FailureQuery, StatisticQuery } from "../../core/statistic-sums.ts";
import { type FailureCount, hourMs, minuteMs, nothingCounted, type Statistic } from "../../core/statistics.ts";
import type { Counted } from "../../ports/statistic-store.ts";
import type { Store } from "../../ports/store.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { taskId } from "../builders.ts";
import type { Example, MakeStore } from "./stage.ts";

const begin = 500_000 * hourMs;
const day = { since: begin, until: begin + 24 * hourMs, rooms: null, jobs: null };
const byMinutes: StatisticQuery = { ...day, widthMs: minuteMs, keptMs: minuteMs, byJob: true };
const byHours: StatisticQuery = { ...day, widthMs: hourMs, keptMs: hourMs, byJob: true };
const allFailures: FailureQuery = {
  ...{ ...day, widthMs: hourMs, keptMs: minuteMs, fingerprint: null },
  ...{ sort: "last", limit: 100, offset: 0 },
};

function aStatistic(about: Partial<Statistic> = {}): Statistic {
  return { ...nothingCounted, at: begin, room: "lab", job: "lab:x:One", ...about };
}

function aFailure(about: Partial<FailureCount> = {}): FailureCount {
  const kind = { room: "lab", fingerprint: "00000000000000f1", job: "lab:x:One", code: null, error: "Disk is full" };
  return { at: begin, tasks: 1, ...kind, task: taskId(1), firstAt: begin + 5, lastAt: begin + 5, ...about };
}

const add = (store: Store, counted: Partial<Counted>) =>
  store.statistics.add({ statistics: [], failures: [], ...counted });

export function statisticExamples(example: Example, makeStore: MakeStore): void {
  example("what is counted again is added, to the minute and to its hour", async ({ store }) => {
    const first = aStatistic({ submitted: 2, completed: 1, wait: [1, 0, 2], run: [0, 3] });
    await add(store, { statistics: [first, aStatistic({ at: begin + minuteMs, lost: 1, wait: [0, 0, 0, 1] })] });
    await add(store, { statistics: [aStatistic({ submitted: 3, failed: 4, wait: [0, 5], run: [] })] });
    const minute = { ...nothingCounted, at: begin, job: "lab:x:One" };
    const sum = { ...minute, submitted: 5, completed: 1, failed: 4, wait: [1, 5, 2], run: [0, 3] };
    assert.deepStrictEqual(await store.read("statistics", byMinutes), [
      sum,
      { ...minute, at: begin + minuteMs, lost: 1, wait: [0, 0, 0, 1] },
    ]);
    const hour = [{ ...sum, lost: 1, wait: [1, 5, 2, 1] }];
    assert.deepStrictEqual(await store.read("statistics", byHours), hour);
    const wide = { ...byMinutes, widthMs: hourMs };
    assert.deepStrictEqual(await store.read("statistics", wide), hour, "minutes are summed up to what is asked for");
    await add(store, {});
    assert.deepStrictEqual(await store.read("statistics", wide), hour, "nothing adds nothing");
  });

  example("counts are narrowed by time, room and job, and summed up over jobs", async ({ store }) => {
    const counts: [number, string, string][] = [
      [0, "lab", "lab:x:One"],
      [0, "other", "@global:x:Two"],
      [0, "lab", "@global:x:Two"],
      [1, "lab", "lab:x:One"],
    ];
    await add(store, {
      statistics: counts.map(([n, room, job], index) =>
        aStatistic({ at: begin + n * minuteMs, room, job, submitted: 10 ** index }),
      ),
    });
    const read = async (about: Partial<StatisticQuery>) => {
      const found = await store.read("statistics", { ...byMinutes, ...about });
      return found.map(({ at, job, submitted }) => [(at - begin) / minuteMs, job, submitted]);
    };
    assert.deepEqual(await read({ rooms: ["lab"], byJob: false }), [
      [0, "", 101],
      [1, "", 1_000],
    ]);
    assert.deepEqual(await read({ until: begin + minuteMs }), [
      [0, "@global:x:Two", 110],
      [0, "lab:x:One", 1],
    ]);
    assert.deepEqual(await read({ since: begin + minuteMs }), [[1, "lab:x:One", 1_000]]);
    assert.deepEqual(await read({ jobs: ["@global:x:Two"], rooms: ["other"] }), [[0, "@global:x:Two", 10]]);
    assert.deepEqual(await read({ rooms: [] }), []);
    assert.deepEqual(await read({ jobs: [] }), []);
  });

  example("failures that are alike are one, with the last of them and when there were how many", async ({ store }) => {
    const at = begin + 3 * hourMs;
    const about = { at, error: "Disk \u0000 is µ full", task: taskId(2), firstAt: at + 7, lastAt: at + 9 };
    const later = aFailure({ ...about, tasks: 4 });
    await add(store, { failures: [later, aFailure({ fingerprint: "00000000000000f2", code: "c" })] });
    await add(store, { failures: [aFailure({ tasks: 2 })] });
    await add(store, { failures: [aFailure({ ...about, room: "other", lastAt: at + 10, task: taskId(3) })] });
    const read = (query: Partial<FailureQuery>) => store.read("failures", { ...allFailures, ...query });
    const { items, ...total } = await read({});
    assert.deepEqual(total, { total: 2, totalExact: true });
    const trend = (...counts: readonly number[]) => [...counts, ...Array(24 - counts.length).fill(0)];
    const { at: _, room: __, ...kind } = aFailure(about);
    const all = { ...kind, task: taskId(3), tasks: 7, firstAt: begin + 5, lastAt: at + 10, trend: trend(2, 0, 0, 5) };
    assert.deepStrictEqual(items[0], all);
    assert.deepStrictEqual(items[1]?.trend, trend(1));
    const mine = await read({ rooms: ["lab"] });
    const inLab = { ...all, task: taskId(2), tasks: 6, lastAt: at + 9, trend: trend(2, 0, 0, 4) };
    assert.deepStrictEqual(mine.items[0], inLab, "other rooms are not told of");
    assert.deepEqual(
      (await read({ since: at, rooms: ["lab"] })).items.map(({ tasks }) => tasks),
      [4],
    );
    assert.deepEqual((await read({ keptMs: hourMs })).items, items, "hours say the same");
    assert.deepEqual((await read({ fingerprint: "00000000000000f2" })).items, items.slice(1));
    assert.deepEqual((await read({ fingerprint: "00000000000000f3" })).items, []);
    assert.deepEqual((await read({ jobs: ["lab:x:Two"] })).total, 0);
    assert.deepEqual(await read({ limit: 1, offset: 1 }), { ...total, items: items.slice(1) });
  });

  example("failures come by time, or by how many tasks failed so", async ({ store }) => {
    const failures = [1, 5, 3].map((tasks, n) =>
      aFailure({ tasks, fingerprint: `${n}`.repeat(16), firstAt: begin + n, lastAt: begin + n }),
    );
    await add(store, { failures });
    const read = async (sort: FailureQuery["sort"]) =>
      (await store.read("failures", { ...allFailures, sort })).items.map(({ tasks }) => tasks);
    assert.deepEqual(await read("last"), [3, 5, 1]);
    assert.deepEqual(await read("tasks"), [5, 3, 1]);
  });

  example("minutes go before hours, and failures when they have not been seen for as long", async ({ store }) => {
    const at = [0, 1, 2].map((n) => begin + n * hourMs);
    await add(store, {
      statistics: at.map((time) => aStatistic({ at: time, submitted: 1 })),
      failures: at.map((time, n) =>
        aFailure({ at: time, fingerprint: `${n}`.repeat(16), firstAt: time, lastAt: time }),
      ),
    });
    const [, second = 0, third = 0] = at;
    const before = { minutes: third, hours: second };
    assert.equal(await store.statistics.trim({ ...before, limit: 1 }), 5, "one of each kind");
    assert.equal(await store.statistics.trim({ ...before, limit: 100 }), 2);
    const times = async (query: StatisticQuery) => (await store.read("statistics", query)).map((each) => each.at);
    assert.deepEqual(await times(byMinutes), [third]);
    assert.deepEqual(await times(byHours), [second, third]);
    const { items } = await store.read("failures", { ...allFailures, keptMs: hourMs });
    assert.deepEqual(
      items.map(({ lastAt }) => lastAt),
      [third, second],
    );
    assert.equal(await store.statistics.trim({ ...before, limit: 100 }), 0);
  });

  test("whatever is counted, in whatever order, is summed up as the memory store does it", { timeout: 60_000 }, () =>
    playRandomly(makeStore),
  );
}

const few = fc.nat(3);
const statistic = fc
  .record({
    at: fc.nat(130).map((minute) => begin + minute * minuteMs),
    room: fc.constantFrom("lab", "Ä", "z"),
    job: fc.constantFrom("lab:x:One", "lab:x:one", "@global:y:Zwö"),
    ...{ submitted: few, started: few, completed: few, failed: few, cancelled: few, lost: few, retried: few },
    wait: fc.array(few, { maxLength: 5 }),
    run: fc.array(few, { maxLength: 5 }),
  })
  .map((each): Statistic => ({ ...each, wait: [...each.wait, 1], run: [...each.run, 1] }));

const counted = fc.record({
  statistics: fc.uniqueArray(statistic, { maxLength: 12, selector: ({ at, room, job }) => `${at} ${room} ${job}` }),
  failures: fc.uniqueArray(
    fc
      .tuple(fc.nat(130), fc.constantFrom("lab", "Ä"), fc.constantFrom("1", "2"), fc.nat(999), fc.nat(9))
      .map(([minute, room, print, after, n]) => {
        const at = begin + minute * minuteMs;
        const [firstAt, lastAt] = [at + after, at + after + 1_000 + n];
        const sample = { task: taskId(n), error: `error ${minute} ${n}`, code: print };
        return aFailure({ at, room, fingerprint: print.repeat(16), tasks: n + 1, firstAt, lastAt, ...sample });
      }),
    { maxLength: 6, selector: ({ at, room, fingerprint }) => `${at} ${room} ${fingerprint}` },
  ),
});

async function playRandomly(makeStore: MakeStore): Promise<void> {
  const { store, dispose } = await makeStore();
  const oracle = memoryStore();
  await store.start();
  try {
    // Each run adds to what those before it have left behind.
    await fc.assert(
      fc.asyncProperty(counted, fc.constantFrom(7 * minuteMs, hourMs), fc.boolean(), async (batch, widthMs, byJob) => {
        await Promise.all([store.statistics.add(batch), oracle.statistics.add(batch)]);
        for (const keptMs of [minuteMs, hourMs]) {
          const query = {
            ...day,
            until: begin + 5 * hourMs,
            keptMs,
            byJob,
            widthMs,
            rooms: byJob ? ["lab", "z"] : null,
          };
          assert.deepStrictEqual(await store.read("statistics", query), await oracle.read("statistics", query));
          const asked: FailureQuery = { ...allFailures, keptMs, sort: byJob ? "tasks" : "last" };
          assert.deepStrictEqual(await store.read("failures", asked), await oracle.read("failures", asked));
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  } finally {
    await store.stop();
    await dispose();
  }
}
