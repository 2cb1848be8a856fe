import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles, type ProfileName } from "../core/liveness.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { world } from "../testing/world.ts";

const minute = 60_000;

/** A worker with a task, of which the history tells what happened last. */
async function holding(profile: ProfileName) {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile });
  const { card } = await w.submit(job);
  await w.claim(worker);
  return { w, worker, last: async () => (await w.history(card.id)).at(-1) ?? "" };
}

test("a server that does not listen for a moment now and then gives up a coordinator that is silent for good", async () => {
  const w = await world();
  const job = await w.job(undefined, { timeoutMs: 10 * minute, stallMs: 6 * minute });
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "defer", total: 9 });
  const state = async () => (await w.task(card.id)).row.state;
  for (let minutes = 0; minutes < 9; minutes += 1) {
    w.clock.advance(4_000);
    await w.pass(minute - 4_000);
  }
  await w.pass(minute - 4_000);
  w.clock.advance(4_000);
  await w.pass(5_000);
  assert.equal(await state(), "running", "what it said may come late");
  await w.pass(30_000);
  assert.equal(await state(), "failed");
});

for (const [profile, everySeconds] of [
  ["amqp", 100],
  ["amqp", 5],
  ["rest", 30],
  ["fleet", 60],
  ["work", 5],
] as const) {
  test(`a killed worker of ${profile} is given up by a server that does not listen for 3 of ${everySeconds} seconds`, async () => {
    const { w, last } = await holding(profile);
    const { lostMs } = defaultProfiles[profile];
    for (let ms = 0; ms < 4 * lostMs + 20_000; ms += everySeconds * 1_000) {
      w.clock.advance(3_000);
      await w.pass((everySeconds - 3) * 1_000);
    }
    assert.match(await last(), /lost|failed/);
  });
}

for (const lateMs of [1_500, 3_300]) {
  test(`a server whose every pulse is ${lateMs} ms late gives up who is silent for good`, async () => {
    const { w, last } = await holding("rest");
    for (let n = 0; n < 200; n += 1) {
      w.clock.advance(lateMs);
      await w.pass(1_000);
    }
    assert.match(await last(), /lost|failed/);
  });
}

test("a worker whose beat was refused while the database was away is not given up before its next one", async () => {
  const { w, worker, last } = await holding("rest");
  await w.engine.beat(worker);
  await w.pass(24_500);
  // It beats at 30 s, which nobody hears.
  w.clock.advance(11_500);
  await w.pass(25_000);
  await w.engine.beat(worker);
  await w.pass(50_000);
  assert.equal(await last(), "assigned");
});

test("a result that was refused while the database was away is taken when it is told again", async () => {
  const w = await world();
  const job = await w.job(undefined, { timeoutMs: minute });
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await w.claim(worker, 1, true);
  await w.pass(30_000);
  await w.engine.beat(worker);
  await w.pass(22_000);
  // It is done at 58 s, which nobody hears.
  w.clock.advance(10_500);
  await w.pass(2_500);
  await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "complete", result: null });
  assert.equal((await w.task(card.id)).outcome?.state, "completed");
});

test("many dead workers of a short window hide nobody on a server that is late again and again", async () => {
  const w = await world();
  const job = await w.job();
  for (let n = 0; n < 120; n += 1) await w.worker([], { profile: "work" });
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  for (let n = 0; n < 140; n += 1) {
    w.clock.advance(1_500);
    await w.pass(1_000);
  }
  assert.match((await w.history(card.id)).at(-1) ?? "", /lost|failed/);
});

test("a coordinator that is silent for good times out although its server is away for half a minute in each stall", async () => {
  const w = await world();
  const job = await w.job(undefined, { timeoutMs: 10 * minute, stallMs: 6 * minute });
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "defer", total: 9 });
  for (let minutes = 0; minutes < 15; minutes += 5) {
    w.clock.advance(33_000);
    await w.pass(5 * minute - 33_000);
  }
  assert.equal((await w.task(card.id)).row.state, "failed");
});

for (const [profile, awayMs, everyMs] of [
  ["rest", 62_000, 119_000],
  ["work", 6_500, 11_000],
] as const) {
  test(`a killed worker of ${profile} is given up by a server that is away for its window again and again`, async () => {
    const { w, last } = await holding(profile);
    for (let n = 0; n < 12; n += 1) {
      w.clock.advance(awayMs);
      await w.pass(everyMs - awayMs);
    }
    assert.match(await last(), /lost|failed/);
  });
}

test("a worker that has lost two of its beats to two outages is not given up before the next", async () => {
  const { w, worker, last } = await holding("rest");
  await w.engine.beat(worker);
  // It beats at 30 and at 60 s, which nobody hears.
  for (let n = 0; n < 2; n += 1) {
    await w.pass(28_000);
    w.clock.advance(3_000);
  }
  await w.pass(28_500);
  await w.engine.beat(worker);
  assert.equal(await last(), "assigned");
});

test("nobody is said to be unreachable before so long a time of listening, after a start too", async () => {
  const first = await world();
  const worker = await first.worker([await first.job()], { profile: "fleet" });
  await first.stop();
  const clock = manualClock(first.clock.now() + 5 * minute);
  const w = await world({ store: first.store, clock, source: 2 });
  await w.pass(2_000);
  clock.advance(117_500);
  await w.pass(2_000);
  const { items } = await w.store.read("workerEvents", { worker, limit: 10, offset: 0 });
  assert.deepEqual(
    items.map(({ type }) => type).filter((type) => /unreachable/.test(type)),
    [],
  );
});
