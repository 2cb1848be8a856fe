import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { world } from "../../testing/world.ts";
import { cancels } from "./cancels.ts";

const admin: Principal = { user: "root", token: null, role: "admin", rooms: null, jobs: null };
const by = { who: admin, note: null };

for (const profile of ["rest", "fleet"] as const) {
  test(`a worker of the ${profile} profile hears once what the end of its drain took from it`, async () => {
    const w = await world();
    const job = await w.job();
    const worker = await w.worker([job], { profile });
    const told = cancels(w.around, w.engine.catalog);
    told.listen(worker);
    const { card } = await w.submit(job);
    await w.claim(worker);
    await w.engine.control.drainWorker(by, worker, 1_000);
    await w.pass(3_000);
    assert.equal((await w.task(card.id)).row.worker, null);
    assert.deepEqual(await told.take(worker), [card.id]);
    assert.deepEqual(await told.take(worker), []);
    told.stop();
    await w.stop();
  });
}

test("a task that was taken from a worker and given to it again is not to be stopped", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  const told = cancels(w.around, w.engine.catalog);
  told.listen(worker);
  const tasks = [await w.submit(job), await w.submit(job)];
  await w.claim(worker, 2);
  for (const { card } of tasks) await w.engine.evictions.evict(by, card.id);
  const [again] = await w.claim(worker);
  const other = tasks.map(({ card }) => card.id).filter((id) => id !== again?.card.id);
  assert.deepEqual(await told.take(worker), other);
  told.stop();
  await w.stop();
});
