import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { world } from "../testing/world.ts";

const minute = 60_000;

test("a server that does not listen for a moment now and then gives up a coordinator that is silent for good", async () => {
  const w = await world();
  const job = await w.job(undefined, { timeoutMs: 10 * minute, stallMs: 6 * minute });
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "defer", total: 9 });
  const state = async () => (await w.task(card.id)).row.state;
  for (let minutes = 0; minutes < 9; minutes += 1) {
    w.clock.advance(4_000);
    await w.pass(minute - 4_000);
  }
  await w.pass(minute - 4_000);
  w.clock.advance(4_000);
  await w.pass(500);
  assert.equal(await state(), "running", "what it said may come late");
  await w.pass(1_000);
  assert.equal(await state(), "failed");
});

for (const [profile, everySeconds] of [
  ["amqp", 100],
  ["amqp", 5],
  ["rest", 30],
  ["fleet", 60],
] as const) {
  test(`a killed worker of ${profile} is given up by a server that does not listen for 3 of ${everySeconds} seconds`, async () => {
    const w = await world();
    const job = await w.job();
    const worker = await w.worker([job], { profile });
    const { card } = await w.submit(job);
    await w.claim(worker);
    const { lostMs } = defaultProfiles[profile];
    for (let ms = 0; ms < lostMs + 5_000; ms += everySeconds * 1_000) {
      w.clock.advance(3_000);
      await w.pass((everySeconds - 3) * 1_000);
    }
    assert.match((await w.history(card.id)).at(-1) ?? "", /lost|failed/);
  });
}

test("a server whose every pulse is late gives up who is silent for good, and nobody whose window is short", async () => {
  const w = await world();
  const job = await w.job();
  const [slow, quick] = [await w.worker([job], { profile: "amqp" }), await w.worker([job], { profile: "work" })];
  const [first, second] = [await w.submit(job), await w.submit(job)];
  await w.claim(slow);
  await w.claim(quick);
  for (let n = 0; n < 50; n += 1) {
    w.clock.advance(1_500);
    await w.pass(1_000);
  }
  w.clock.advance(1_500);
  assert.equal((await w.task(second.card.id)).row.worker, quick);
  for (let n = 0; n < 3; n += 1) await w.pass(1_000);
  assert.equal((await w.task(first.card.id)).row.worker, null);
});
