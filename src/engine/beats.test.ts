import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import type { Store } from "../ports/store.ts";
import { world } from "../testing/world.ts";
import { beats } from "./beats.ts";

for (const removed of [true, false]) {
  const how = removed ? "that was removed and came back" : "that registered anew";
  test(`beats are written as often as a worker ${how} by way of another server needs them`, async () => {
    const leader = await world();
    const other = await world({ store: leader.store, clock: leader.clock, source: 2 });
    const job = await leader.job();
    const id = await leader.worker([job], { profile: "fleet" });
    await leader.pass(1_000);
    await other.engine.beat(id);
    if (removed) await leader.engine.losing.remove(leader.engine.catalog.worker(id) as never);
    await leader.pass(1_000);
    await leader.worker([job], { id, profile: "work" });
    await leader.pass(1_000);
    for (let second = 0; second < 10; second += 1) {
      await other.engine.beat(id);
      await leader.pass(1_000);
    }
    assert.equal(leader.engine.catalog.worker(id)?.session.lostAt, null);
  });
}

test("a server forgets the beats of a worker that another server removed", async () => {
  const leader = await world();
  const written: string[] = [];
  const other = await world({
    store: leader.store,
    clock: leader.clock,
    source: 2,
    between: (store) => ({
      ...store,
      beat: (beats) => {
        written.push(...beats.map(({ worker }) => worker));
        return store.beat(beats);
      },
    }),
  });
  const id = await leader.worker([await leader.job()], { profile: "fleet" });
  await leader.pass(1_000);
  await other.engine.beat(id);
  await leader.engine.losing.remove(leader.engine.catalog.worker(id) as never);
  await leader.pass(1_000);
  await other.stop();
  assert.deepEqual(written, []);
});

test("a beat that crosses a new registration is not written for ever", async () => {
  const written: string[] = [];
  const between = (store: Store): Store => ({
    ...store,
    beat: (beats) => {
      written.push(...beats.map(({ worker }) => worker));
      return store.beat(beats);
    },
  });
  const w = await world({ between });
  const id = await w.worker([await w.job()], { profile: "fleet" });
  const record = w.engine.catalog.worker(id) as never;
  const around = beats(w.around, w.engine.catalog);
  around.seen(record);
  const crossing = around.beat(id);
  around.seen(record);
  await crossing;
  await w.pass(defaultProfiles.fleet.lostMs);
  await around.stop();
  assert.deepEqual(written, []);
});
