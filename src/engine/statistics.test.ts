import assert from "node:assert/strict";
import { test } from "node:test";
import { quantileMs } from "../core/histogram.ts";
import type { Lane } from "../core/lane.ts";
import type { StatisticSum } from "../core/statistic-sums.ts";
import { hourMs, minuteMs, nothingCounted } from "../core/statistics.ts";
import type { ClaimedTask } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { aTask } from "../testing/builders.ts";
import { manualClock, worldStart } from "../testing/manual-clock.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { settled, type World, world } from "../testing/world.ts";
import { statistics } from "./statistics.ts";

const failure = { message: "Disk 7 is full", code: "disk", details: null };

async function claimOne(w: World, worker: string, assign = true): Promise<ClaimedTask> {
  const [task] = await w.claim(worker, 1, assign);
  assert.ok(task !== undefined, "there was nothing to claim");
  return task;
}

const holder = ({ row }: ClaimedTask) => ({ worker: row.worker as string, attempt: row.attempt });

const span = { since: worldStart - 2 * hourMs, until: worldStart + 2 * hourMs, widthMs: 4 * hourMs, keptMs: minuteMs };

async function counted(store: Store): Promise<Partial<StatisticSum>> {
  const query = { ...span, rooms: null, jobs: null, byJob: false };
  const [sum] = await store.read("statistics", query);
  if (sum === undefined) return {};
  const { at: _, job: __, ...counts } = sum;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

const failures = (store: Store) =>
  store.read("failures", { ...span, rooms: null, jobs: null, fingerprint: null, sort: "last", limit: 9, offset: 0 });

test("what was committed is counted, with how long it waited and ran, and written within five seconds", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  await w.submit(job);
  await w.pass(2_000);
  const task = await claimOne(w, worker, false);
  await w.engine.settle(card.id, holder(task), { type: "start" });
  assert.deepEqual(await counted(w.store), {}, "nothing is written with a move");
  await w.pass(1_000);
  await w.engine.settle(card.id, holder(task), { type: "complete", result: null });
  await w.pass(5_000);
  const { wait = [], run = [], ...counts } = await counted(w.store);
  assert.deepEqual(counts, { submitted: 2, started: 1, completed: 1 });
  assert.ok(Math.abs((quantileMs(wait, 0.5) as number) - 2_000) <= 200);
  assert.ok(Math.abs((quantileMs(run, 0.5) as number) - 1_000) <= 100);
  await w.stop();
});

test("retries, losses, failures and cancels are counted, and a refused result is not", async () => {
  const w = await world();
  const job = await w.job(undefined, { retry: { maxAttempts: 2, baseMs: 0 }, onWorkerLost: "fail" });
  const worker = await w.worker([job]);
  const [failing, cancelled] = [await w.submit(job), await w.submit(job)];
  const first = await claimOne(w, worker);
  await w.engine.settle(failing.card.id, holder(first), { type: "fail", error: failure });
  await w.engine.cancel({ id: cancelled.card.id, actor: null });
  await claimOne(w, worker);
  // The worker falls silent.
  await w.pass(120_000);
  await assert.rejects(w.engine.settle(failing.card.id, holder(first), { type: "complete", result: null }));
  await w.engine.statistics.flush();
  const { wait = [], run = [], ...counts } = await counted(w.store);
  assert.deepEqual(counts, { submitted: 2, started: 2, retried: 1, lost: 1, failed: 1, cancelled: 1 });
  assert.deepEqual([wait.length, run.length > 0], [1, true], "neither attempt waited");
  await w.stop();
});

test("the wait of a task that was delayed begins when it is ready", async () => {
  const w = await world();
  const job = await w.job();
  await w.submit(job, { runAt: worldStart + 60_000 });
  await w.pass(61_000);
  await claimOne(w, await w.worker([job]));
  await w.engine.statistics.flush();
  const { wait = [] } = await counted(w.store);
  assert.ok((quantileMs(wait, 1) as number) <= 2_000, `${quantileMs(wait, 1)} ms`);
  await w.stop();
});

test("failures that are alike are one kind, and their tasks know which", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  for (const disk of [1, 2]) {
    const { card } = await w.submit(job);
    const task = await claimOne(w, worker);
    const error = { ...failure, message: `Disk ${disk} is full` };
    await w.engine.settle(card.id, holder(task), { type: "fail", error, retryable: false });
  }
  await w.engine.statistics.flush();
  const { items } = await failures(w.store);
  assert.deepEqual(
    items.map(({ tasks, code, error, job: of }) => [tasks, code, error, of]),
    [[2, "disk", "Disk 2 is full", job]],
  );
  const last = await w.task(items[0]?.task as string);
  assert.equal(last.outcome?.fingerprint, items[0]?.fingerprint);
  await w.stop();
});

test("what could not be written is written later, once, and no move notices", async () => {
  let away = true;
  const refusing = (store: Store): Store => ({
    ...store,
    statistics: {
      ...store.statistics,
      add: (each) => (away ? Promise.reject(new Error("away")) : store.statistics.add(each)),
    },
  });
  const w = await world({ between: refusing });
  const job = await w.job();
  await w.submit(job);
  await w.pass(6_000);
  await w.submit(job);
  assert.deepEqual(await counted(w.store), {});
  away = false;
  await w.pass(6_000);
  assert.deepEqual(await counted(w.store), { submitted: 2, wait: [], run: [] });
  await w.stop();
});

test("the sweep removes minutes after two days, and hours after a month", async () => {
  const w = await world();
  const days = [1, 3, 32].map((ago) => worldStart - ago * 24 * hourMs);
  const one = { ...nothingCounted, room: "lab", job: "lab:x:One", submitted: 1 };
  await w.store.statistics.add({ statistics: days.map((at) => ({ ...one, at })), failures: [] });
  await w.engine.sweeper.tick();
  const all = { since: 0, until: worldStart, widthMs: hourMs, rooms: null, jobs: null, byJob: false };
  const left = async (keptMs: number) => (await w.store.read("statistics", { ...all, keptMs })).map(({ at }) => at);
  assert.deepEqual(await left(minuteMs), [days[0]]);
  assert.deepEqual(await left(hourMs), [days[1], days[0]]);
  await w.stop();
});

test("a server that stops leaves nothing uncounted", async () => {
  const w = await world();
  const job = await w.job();
  await w.submit(job);
  await w.stop();
  assert.equal((await counted(w.store)).submitted, 1);
});

test("a server that stops while the database is away waits for nothing, and tries no more", async () => {
  const [clock, log] = [manualClock(), recordedLog()];
  let tries = 0;
  const add = async () => {
    tries += 1;
    throw new Error("away");
  };
  const w = await world();
  const store = { ...w.store, statistics: { add, trim: async () => 0 } };
  const counting = statistics({ store, clock, log }, { lane: () => ({ job: "lab:x:One" }) as Lane });
  counting.tallies.submitted([aTask({ lane: 1 }).card], [null]);
  await counting.stop(true);
  clock.advance(60_000);
  await settled();
  assert.equal(tries, 0);
  await w.stop();
});
