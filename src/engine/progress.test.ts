import assert from "node:assert/strict";
import { test } from "node:test";
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
  return { w, say, written, complete };
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
