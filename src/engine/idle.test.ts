import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles, type ProfileName } from "../core/liveness.ts";
import { countingCalls } from "../testing/counting-calls.ts";
import { type World, world } from "../testing/world.ts";

/** Each worker beats as its door says. */
async function beat(w: World, workers: ReadonlyMap<string, ProfileName>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (const [nth, [id, profile]] of [...workers].entries()) {
      const every = defaultProfiles[profile].beatMs / 1_000;
      if ((second + nth) % every === 0) await w.engine.beat(id);
    }
    await w.pass(1_000);
  }
}

test("a server that has just started does not sweep for a worker that it may not judge yet", async () => {
  const before = await world();
  const job = await before.job();
  const silent = await before.worker([job], { profile: "fleet" });
  await before.pass(110_000);
  await before.stop();
  before.clock.advance(30_000);
  const calls = countingCalls();
  const { store, clock } = before;
  const w = await world({ store, clock, source: 2, between: calls.around });
  const quick = await w.worker([job]);
  await w.pass(70_000);
  assert.equal(w.engine.catalog.worker(quick), undefined, "whoever may be judged is");
  calls.reset();
  await w.pass(40_000);
  const questions = calls.counts().get("find") ?? 0;
  assert.ok(questions < 30, `${questions} questions in 40 seconds`);
  const told = async () => (await w.store.read("workers", { ids: [silent] }))[0]?.session.told;
  assert.equal(await told(), "ONLINE");
  await w.pass(12_000);
  assert.equal(await told(), "UNREACHABLE");
  await w.stop();
});

test("a server with idle workers asks its database for the pulse, and once a second for their beats, and no more", async () => {
  const calls = countingCalls();
  const w = await world({ between: calls.around });
  const job = await w.job();
  const workers = new Map<string, ProfileName>();
  for (const profile of ["work", "rest", "fleet"] as const) {
    for (let nth = 0; nth < 5; nth += 1) workers.set(await w.worker([job], { profile }), profile);
  }
  // The safety nets look once more some time after a change.
  await beat(w, workers, 70);
  calls.reset();
  await beat(w, workers, 60);
  assert.deepEqual([...calls.counts().keys()].sort(), ["beat", "pulse"]);
  for (const [call, count] of calls.counts()) assert.ok(count <= 61, `${count} calls of ${call} in a minute`);
  await w.stop();
});
