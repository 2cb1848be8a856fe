import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { Store } from "../ports/store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { settled, type World, type WorldOptions, world } from "../testing/world.ts";

/** A task that runs, and how its worker tells how far it is. */
async function running(options: WorldOptions) {
  const w: World = await world(options);
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  const holder = { worker, attempt: 1 };
  const say = (current: number) => w.engine.progress(card.id, { holder }, { current, total: 10, message: null });
  const written = async () => (await w.task(card.id)).row.progress?.current;
  const complete = () => w.engine.settle(card.id, holder, { type: "complete", result: null });
  const release = () => w.engine.settle(card.id, holder, { type: "release", reason: "released" });
  const told = () => w.history(card.id);
  return { w, say, written, told, complete, release };
}

test("the last report of a second is written, even if the one before came sooner than its alarm", async () => {
  const punctual = manualClock();
  const late = { ...punctual, alarm: (at: number, ring: () => void) => punctual.alarm(at + 20, ring) };
  const { w, say, written } = await running({ clock: late });
  await say(1);
  w.clock.advance(300);
  await say(2);
  w.clock.advance(700);
  await say(3);
  assert.equal(await written(), 3);
  w.clock.advance(300);
  await settled();
  await say(4);
  await w.pass(2_000);
  assert.equal(await written(), 4);
});

test("progress that cannot be written is told to the log, and the task goes on to its end", async () => {
  let broken = false;
  const between = (store: Store): Store => ({
    ...store,
    exchange: async (writes, demands, now) => {
      if (broken) throw new Error("a bug in the store");
      return store.exchange(writes, demands, now);
    },
  });
  const { w, say, written, complete } = await running({ between });
  await say(1);
  await say(2);
  broken = true;
  await w.pass(2_000);
  assert.equal(await written(), 1);
  assert.equal(w.log.lines.filter(({ message }) => message.includes("progress")).length, 1);
  broken = false;
  assert.equal((await complete()).row.state, "completed");
});

test("steps that arrive at once all count, in at most two events of one second, also by way of two servers", async () => {
  const w = await world();
  const second = await world({ store: w.store, clock: w.clock, source: 2 });
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  const fence = { holder: { worker, attempt: 1 } };
  const step = ({ engine }: World) => engine.progress(card.id, fence, { increment: 1 });
  await Promise.all(Array.from({ length: 100 }, (_, nth) => step(nth % 2 === 0 ? w : second)));
  await w.pass(2_000);
  await second.pass(2_000);
  assert.equal((await w.task(card.id)).row.progress?.current, 100);
  assert.equal((await w.history(card.id)).filter((type) => type === "progressed").length, 4);
});

test("what was told before a task is given back stands in its history", async () => {
  const { say, told, release } = await running({});
  await say(1);
  await say(2);
  await release();
  assert.deepEqual(await told(), ["submitted", "assigned", "progressed", "progressed", "released"]);
});

test("a former holder's late report is refused and does not touch what the present holder told", async () => {
  const w = await world();
  const job = await w.job();
  const [first, second] = [await w.worker([job], { profile: "rest" }), await w.worker([job], { profile: "rest" })];
  const { card } = await w.submit(job);
  await w.claim(first);
  const former = { holder: { worker: first, attempt: 1 } };
  const present = { holder: { worker: second, attempt: 2 } };
  await w.engine.settle(card.id, former.holder, { type: "release", reason: "released" });
  await w.claim(second);
  await w.engine.progress(card.id, present, { increment: 1 });
  await w.engine.progress(card.id, present, { increment: 1 });
  const late = (error: unknown) => error instanceof Problem && error.code === "lease-lost";
  await assert.rejects(w.engine.progress(card.id, former, { increment: 40 }), late);
  await assert.rejects(w.engine.progress(card.id, former, { increment: 40 }), late);
  await w.pass(2_000);
  assert.equal((await w.task(card.id)).row.progress?.current, 2);
});
