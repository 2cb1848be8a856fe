import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../core/access.ts";
import { type World, world } from "../testing/world.ts";
import { desks } from "./desks/desks.ts";

const who: Principal = { user: "ada", role: "admin", rooms: null, jobs: null, token: null };
const schemas = { check() {}, validator: () => () => [] };

/** A worker that has a job, beats, and asks for nothing by itself. */
async function quietOne(w: World) {
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  const { explains } = desks(w.around, { operations: w.engine, schemas });
  const beating = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 20_000) {
      await w.pass(20_000);
      await w.engine.beat(worker);
    }
  };
  return { job, worker, beating, explain: async (id: string) => (await explains.explain(who, id)).cause };
}

test("a worker has asked when it was answered, by whichever way it asks", async () => {
  const w = await world();
  const { job, worker, beating } = await quietOne(w);
  assert.equal(w.engine.askedAt(worker), null);
  const { card } = await w.submit(job);
  for (const ask of [
    () => w.claim(worker),
    () => w.engine.take(card.id, worker).catch(() => {}),
    () => w.engine.takeMany({ ids: [card.id], worker, assign: false }),
  ]) {
    await beating(20_000);
    await ask();
    assert.equal(w.engine.askedAt(worker), w.clock.now());
  }
});

test("a worker that waits for work asks all the time", async () => {
  const w = await world();
  const { worker, beating } = await quietOne(w);
  const leaving = new AbortController();
  const waiting = w.engine.claim({ worker, limit: 1, waitMs: 600_000, assign: false, signal: leaving.signal });
  await beating(120_000);
  assert.equal(w.engine.askedAt(worker), w.clock.now());
  leaving.abort();
  await waiting;
  await beating(40_000);
  assert.equal(w.engine.askedAt(worker), w.clock.now() - 40_000);
});

test("a worker that is removed is forgotten", async () => {
  const w = await world();
  const { worker } = await quietOne(w);
  await w.claim(worker);
  const [record] = await w.store.read("workers", { ids: [worker] });
  assert.ok(record);
  await w.engine.losing.remove(record);
  assert.equal(w.engine.askedAt(worker), null);
});

test("beside another server nobody is said not to have asked, and once that has gone they are", async () => {
  const here = await world();
  const { job, beating, explain } = await quietOne(here);
  const there = await world({ store: here.store, clock: here.clock, source: 2 });
  const { card } = await here.submit(job);
  await beating(120_000);
  await there.pass(0);
  assert.equal(await explain(card.id), "in-line");
  await there.engine.stop();
  await beating(60_000);
  assert.equal(await explain(card.id), "not-asked");
});
