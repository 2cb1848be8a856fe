import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import type { StatisticQuery } from "../../core/statistic-sums.ts";
import { hourMs, nothingCounted } from "../../core/statistics.ts";
import type { Store } from "../../ports/store.ts";
import { world } from "../../testing/world.ts";
import { statisticDesk } from "./statistic-desk.ts";

const ada: Principal = { user: "ada", role: "viewer", rooms: null, jobs: null, token: null };

async function scene() {
  const { around, engine, clock } = await world();
  const reads: StatisticQuery[] = [];
  let underWay = 0;
  const read = (async (kind: "statistics", query: StatisticQuery) => {
    reads.push(query);
    underWay += 1;
    assert.ok(underWay <= 2, "so many sums are made at once");
    await new Promise(setImmediate);
    underWay -= 1;
    return around.store.read(kind, query);
  }) as unknown as Store["read"];
  const operations = {
    catalog: engine.catalog,
    depths: { lanes: async () => [] } as never,
    statistics: { flush: async () => undefined } as never,
  };
  const jobs = { maySee: () => true, visibleIn: () => () => true };
  const desk = statisticDesk({ ...around, store: { ...around.store, read } }, { operations, jobs });
  return { desk, reads, clock, store: around.store };
}

test("a month is summed up once for all who see the same, and then what is not over", async () => {
  const { desk, reads, clock } = await scene();
  const look = (who = ada) => desk.flow(who, { window: "30d" });
  await Promise.all([look(), look({ ...ada, user: "bob" })]);
  await look();
  assert.equal(reads.length, 2);
  await look({ ...ada, rooms: ["lab"] });
  assert.equal(reads.length, 4, "who sees less has sums of his own");
  clock.advance(30_000);
  const { span } = await look();
  const again = reads.slice(4).map(({ since, until }) => [since, until]);
  assert.deepEqual(again, [[span.until - 2 * span.widthMs, span.until]]);
});

test("each part of a month has what was counted in it", async () => {
  const { desk, clock, store } = await scene();
  const { span } = await desk.flow(ada, { window: "30d" });
  const times = Array.from({ length: 60 }, (_, part) => span.since + part * span.widthMs + hourMs);
  const statistics = times.map((at, nth) => ({
    ...{ ...nothingCounted, at, room: "lab", job: "lab:x:One" },
    ...{ submitted: nth + 1, wait: [nth] },
  }));
  await store.statistics.add({ statistics, failures: [] });
  clock.advance(hourMs);
  const { points, totals } = await desk.flow(ada, { window: "30d" });
  assert.deepEqual(
    points.map(({ submitted, wait }) => [submitted, ...wait]),
    times.map((_, nth) => [nth + 1, nth]),
  );
  assert.equal(totals.submitted, 1_830);
});

test("the last hour is looked at by everyone anew, a few at a time", async () => {
  const { desk, reads } = await scene();
  await Promise.all(Array.from({ length: 9 }, () => desk.flow(ada, { window: "1h" })));
  assert.equal(reads.length, 9);
});

test("failures are looked for a few at a time, as long as a month of them may take", async () => {
  const { desk, reads } = await scene();
  const words = { window: "30d", sort: "last", limit: 10, offset: 0 } as const;
  await Promise.all(Array.from({ length: 9 }, () => desk.failures(ada, words)));
  assert.equal(reads.length, 9);
});
