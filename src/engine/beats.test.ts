import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { WorkerRecord } from "../ports/records.ts";
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

test("a beat after a long silence is answered once it is written, so that nobody gives up a worker that was heard", async () => {
  const leader = await world();
  const other = await world({ store: leader.store, clock: leader.clock, source: 2 });
  const id = await leader.worker([await leader.job()]);
  const [{ session }] = (await leader.store.read("workers", { ids: [id] })) as [WorkerRecord];
  const { lostMs, seenAt } = session;
  leader.clock.advance(lostMs - 100);
  await other.engine.beat(id);
  const [written] = await leader.store.read("workers", { ids: [id] });
  assert.equal(written?.session.seenAt, seenAt + lostMs - 100);
});

test("a beat of a worker that was given up meanwhile says so, though the catalog here does not know it yet", async () => {
  const leader = await world();
  const other = await world({ store: leader.store, clock: leader.clock, source: 2 });
  const id = await leader.worker([await leader.job()]);
  await other.engine.catalog.refresh();
  leader.clock.advance(defaultProfiles.work.lostMs + 1);
  await leader.engine.workers.fence(id, "worker.offline", () => true);
  await assert.rejects(other.engine.beat(id), { code: "worker-not-found" });
});

test("while the database is away beats are answered, and not each of them asks it", async () => {
  let asked = 0;
  const w = await world({
    between: (store) => ({
      ...store,
      async beat() {
        asked += 1;
        throw new Problem("store-unavailable", "away");
      },
    }),
  });
  const job = await w.job();
  const ids = [await w.worker([job]), await w.worker([job]), await w.worker([job])];
  w.clock.advance(defaultProfiles.work.lostMs - 1);
  await Promise.all(ids.map((id) => w.engine.beat(id)));
  assert.equal(asked, 2);
});
