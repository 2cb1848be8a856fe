import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkerRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { type World, world } from "../testing/world.ts";

const known = (w: World, id: string): WorkerRecord => w.engine.catalog.worker(id) as WorkerRecord;

test("workers that go together are written together, each with what it leaves", async () => {
  let amends = 0;
  const between = (store: Store): Store => ({
    ...store,
    amend(...args) {
      amends += 1;
      return store.amend(...args);
    },
  });
  const w = await world({ between });
  const [shared, own] = ["@global:modifiers:Shared", "@global:modifiers:Own"];
  for (const name of [shared, own])
    await w.engine.jobs.register({ name, schema: {}, policy: {}, source: "worker", replace: false });
  const ids = await Promise.all(Array.from({ length: 50 }, () => w.worker([shared])));
  const other = await w.worker([own, shared], { profile: "fleet" });
  const { card } = await w.submit(shared);
  const [task] = await w.claim(ids[7] as string);
  assert.equal(task?.card.id, card.id);
  const records = ids.map((id) => known(w, id));
  amends = 0;
  const lost = await Promise.all(records.map((worker) => w.engine.losing.lose(worker, () => true)));
  assert.ok(lost.every(Boolean));
  assert.ok(amends <= 8, `${amends} transactions`);
  assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "lost"]);
  for (const id of ids) {
    const { items } = await w.store.read("workerEvents", { worker: id, limit: 9, offset: 0 });
    assert.deepEqual(
      items.map(({ type }) => type),
      ["worker.registered", "worker.offline", "worker.deleted"],
    );
  }
  const isThere = (name: string) => w.engine.catalog.job(name)?.deleted === false;
  assert.deepEqual([isThere(shared), isThere(own)], [true, true], "somebody serves them still");
  await w.engine.cancel({ id: card.id, actor: null });
  await w.engine.losing.remove(known(w, other));
  assert.deepEqual([isThere(shared), isThere(own)], [false, false]);
  await w.stop();
});

test("a job goes with the last of those who leave it together", async () => {
  const w = await world();
  const name = "@global:modifiers:Shared";
  await w.engine.jobs.register({ name, schema: {}, policy: {}, source: "worker", replace: false });
  const ids = await Promise.all([1, 2, 3].map(() => w.worker([name])));
  await Promise.all(ids.map((id) => w.engine.losing.remove(known(w, id))));
  assert.equal(w.engine.catalog.job(name)?.deleted, true);
  await w.stop();
});

test("a worker that is deleted twice at once is deleted once", async () => {
  const w = await world();
  const id = await w.worker([await w.job()]);
  const worker = known(w, id);
  await Promise.all([w.engine.losing.remove(worker), w.engine.losing.remove(worker)]);
  const { items } = await w.store.read("workerEvents", { worker: id, limit: 9, offset: 0 });
  assert.deepEqual(
    items.map(({ type }) => type),
    ["worker.registered", "worker.unregistered", "worker.deleted"],
  );
  await w.stop();
});
