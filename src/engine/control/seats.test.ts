import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { Store } from "../../ports/store.ts";
import { type World, world } from "../../testing/world.ts";

const admin: Principal = { user: "root", token: null, role: "admin", rooms: null, jobs: null };

async function limited(w: World, limit: number) {
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const tasks = [await w.submit(job), await w.submit(job), await w.submit(job), await w.submit(job)];
  await w.engine.control.limitWorker({ who: admin, note: null }, worker, limit);
  return { worker, tasks: tasks.map(({ card }) => card.id) };
}

test("claims of one worker in the same moment get no more than it may hold, together", async () => {
  const w = await world();
  const { worker } = await limited(w, 3);
  const got = await Promise.all([w.claim(worker, 2), w.claim(worker, 2), w.claim(worker, 2)]);
  assert.equal(got.flat().length, 3);
  assert.deepEqual(await w.claim(worker, 2), []);
  await w.stop();
});

test("a claim that ends while another counts is counted", async () => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  const between = (store: Store): Store => ({
    ...store,
    async find(kind, query) {
      const found = await store.find(kind, query);
      const once = kind === "held" ? meanwhile : null;
      if (once !== null) meanwhile = null;
      await once?.();
      return found;
    },
  });
  const w = await world({ between });
  const { worker } = await limited(w, 1);
  meanwhile = () => w.claim(worker);
  assert.deepEqual(await w.claim(worker), [], "it saw nothing in hand, and yet there was");
  assert.equal((await w.store.find("held", { workers: [worker], limit: 9 })).length, 1);
  await w.stop();
});

test("a claim that failed keeps no place", async () => {
  let fails = true;
  const between = (store: Store): Store => ({
    ...store,
    exchange: (...given) => (fails ? Promise.reject(new Error("the disk is full")) : store.exchange(...given)),
  });
  const w = await world({ between });
  const { worker } = await limited(w, 1);
  await assert.rejects(w.claim(worker), /disk/);
  fails = false;
  assert.equal((await w.claim(worker)).length, 1);
  await w.stop();
});

test("a task claimed by its id counts, and is refused to a worker that holds all it may", async () => {
  const w = await world();
  const { worker, tasks } = await limited(w, 1);
  const [first, second] = tasks as [string, string];
  const takes = await Promise.allSettled([w.engine.take(first, worker), w.engine.take(second, worker)]);
  assert.deepEqual(takes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const isFull = (error: unknown) => error instanceof Problem && error.status === 409 && /allows/.test(error.message);
  await assert.rejects(w.engine.take(second, worker), isFull);
  assert.deepEqual(await w.claim(worker), []);
  await w.engine.settle(first, { worker, attempt: 1 }, { type: "cancel", reason: null });
  assert.equal((await w.engine.take(second, worker)).row.worker, worker);
  await w.stop();
});
