import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { callerGone } from "../../core/caller-gone.ts";
import { type World, world } from "../../testing/world.ts";
import type { Surroundings } from "../surroundings.ts";
import { claimDesk } from "./claim-desk.ts";
import type { TaskDesk } from "./task-desk.ts";
import { taskViews } from "./task-views.ts";
import type { WorkerDesk } from "./worker-desk.ts";

const who: Principal = { user: "ada", role: "user", rooms: null, jobs: null, token: null };

function deskOf({ engine, store, clock, log }: World) {
  const workers = { owned: async (_: Principal, id: string) => engine.catalog.worker(id) } as unknown as WorkerDesk;
  const views = taskViews(engine);
  return claimDesk({ store, clock, log } as unknown as Surroundings, {
    operations: engine,
    tasks: {} as TaskDesk,
    views,
    workers,
  });
}

test("what is claimed for a caller who has hung up meanwhile goes back, and costs nothing", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  const gone = AbortSignal.abort(callerGone);
  assert.deepEqual(await deskOf(w).claim(who, { worker, limit: 1, waitMs: 0, signal: gone }), []);
  const { row } = await w.task(card.id);
  assert.deepEqual([row.state, row.losses, row.failures], ["pending", 0, 0]);
  assert.deepEqual(await w.history(card.id), ["submitted", "claimed", "released"]);
});

test("a caller of a server that is stopping is still there, and hears what was claimed", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  const [claimed] = await deskOf(w).claim(who, { worker, limit: 1, waitMs: 0, signal: AbortSignal.abort("stopping") });
  assert.equal(claimed?.record.card.id, card.id);
});

test("what was claimed under a name is kept for whoever asks again by it", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  const words = { worker, limit: 1, waitMs: 0, key: { key: "k", bodyHash: "h" } };
  await deskOf(w).claim(who, { ...words, signal: AbortSignal.abort(callerGone) });
  const [again] = await deskOf(w).claim(who, words);
  assert.equal(again?.record.card.id, card.id);
});

test("where it cannot be read which tasks still wait, that is said, and nothing is thrown beside what was claimed", async () => {
  const w = await world();
  const { card } = await w.submit(await w.job());
  assert.deepEqual(await deskOf(w).waiting([card.id]), [card.id]);
  const store = { ...w.store, read: () => Promise.reject(new Error("no connection")) };
  assert.equal(await deskOf({ ...w, store }).waiting([card.id]), null);
});
