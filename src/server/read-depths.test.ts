import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../testing/world.ts";
import { readDepths } from "./read-depths.ts";

test("depths are told by job, over all its lanes, with the age of the oldest", async () => {
  const w = await world();
  const [rotate, scale] = [await w.job("@global:modifiers:Rotate"), await w.job("@global:modifiers:Scale")];
  const worker = await w.worker([scale]);
  await w.submit(rotate);
  await w.pass(2_000);
  await w.engine.beat(worker);
  await w.submit(rotate, { queue: "gpu" });
  await w.submit(rotate, { runAt: w.clock.now() + 60_000 });
  await w.submit(scale);
  await w.claim(worker);
  await w.pass(1_000);
  const { jobs } = await readDepths({ operations: w.engine, ...w });
  assert.deepEqual(
    jobs.toSorted((a, b) => a.job.localeCompare(b.job)),
    [
      { job: rotate, ready: 2, held: 0, oldestReadyMs: 3_000 },
      { job: scale, ready: 0, held: 1, oldestReadyMs: null },
    ],
  );
  await w.stop();
});

test("a worker that beats is online, however long ago it was registered", async () => {
  const w = await world();
  const job = await w.job();
  const words = { profile: "rest" } as const;
  const beating = await w.worker([job], words);
  await w.worker([job], words);
  for (let round = 0; round < 5; round += 1) {
    await w.pass(20_000);
    await w.engine.beat(beating);
    await w.pass(1_000);
  }
  const { workers } = await readDepths({ operations: w.engine, ...w });
  assert.deepEqual(workers, { ONLINE: 1, UNREACHABLE: 0, OFFLINE: 0, DELETED: 0 });
  await w.stop();
});

test("more workers than are asked for at once are all counted", async () => {
  const w = await world();
  const job = await w.job();
  for (let made = 0; made < 501; made += 1) await w.worker([job]);
  const { workers } = await readDepths({ operations: w.engine, ...w });
  assert.equal(workers.ONLINE, 501);
  await w.stop();
});
