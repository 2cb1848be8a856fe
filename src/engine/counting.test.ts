import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutboxItem, TaskRecord } from "../ports/records.ts";
import { type World, world } from "../testing/world.ts";
import { countKind } from "./parent-count.ts";

/** A task that waits for so many parts. */
async function deferred(w: World, total: number, parent?: TaskRecord): Promise<TaskRecord> {
  const job = await w.job();
  const worker = await w.worker([job]);
  const task = await w.submit(job, parent === undefined ? {} : { parent: parent.card.id });
  await w.claim(worker);
  await w.engine.settle(task.card.id, { worker, attempt: 1 }, { type: "defer", total });
  return task;
}

async function leave(w: World, notes: readonly TaskRecord[]): Promise<void> {
  const outbox = notes.map(({ card }): OutboxItem => {
    const data = JSON.stringify({ done: 1, failed: 0 });
    return { id: w.around.ids.next(), kind: countKind, key: card.id, data, at: w.clock.now() };
  });
  await w.store.amend({}, () => ({ answer: null, outbox }));
}

const stateOf = async (w: World, { card }: TaskRecord) => (await w.task(card.id)).row.state;

test("however many parts of a task have ended, one sweep counts them, in few moves", async () => {
  const w = await world();
  const parts = 2_500;
  const task = await deferred(w, parts);
  await leave(w, Array(parts).fill(task));
  await w.engine.sweeper.tick();
  assert.equal(await stateOf(w, task), "completed");
  const counts = (await w.history(task.card.id)).filter((type) => type === "counted");
  assert.equal(counts.length, 3, "a thousand at a time");
  await w.stop();
});

test("a task does not end before a child that is counted on in the same moment", async () => {
  const w = await world();
  const above = await deferred(w, 1);
  const below = await deferred(w, 2, above);
  // The first child of the one above has ended in an earlier attempt of it.
  await leave(w, [above, below]);
  await w.engine.sweeper.tick();
  assert.deepEqual([await stateOf(w, above), await stateOf(w, below)], ["running", "running"]);
  await leave(w, [below]);
  await w.engine.sweeper.tick();
  assert.deepEqual([await stateOf(w, above), await stateOf(w, below)], ["completed", "completed"]);
  await w.stop();
});
