import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import type { LaneDepth } from "../../ports/store-reads.ts";
import { world } from "../../testing/world.ts";
import { waitingLooks } from "./waiting-looks.ts";

const ada: Principal = { user: "ada", role: "viewer", rooms: null, jobs: null, token: null };

async function scene() {
  const w = await world();
  const job = await w.job();
  const explain = async (_: Principal, id: string) => ({
    ...{ record: await w.task(id), facts: { job }, cause: "in-line", sentence: "It is next" },
  });
  const look = waitingLooks(w.around, { explains: { explain: explain as never } });
  const depths = (): Promise<readonly LaneDepth[]> => w.store.read("depths", {});
  return { ...w, rotate: job, look: (of: readonly LaneDepth[]) => look(ada, of), depths };
}

test("a task with a delay has waited since the delay was over, and not since it was made", async () => {
  const { clock, rotate, submit, pass, look, depths, stop } = await scene();
  const dueAt = clock.now() + 60_000;
  const { card } = await submit(rotate, { runAt: dueAt });
  await pass(62_000);
  const { waiting, reasons } = await look(await depths());
  assert.deepEqual([waiting.ready, waiting.oldestTask, waiting.oldestReadyAt], [1, card.id, dueAt]);
  assert.deepEqual(reasons, [{ cause: "in-line", sentence: "It is next", tasks: 1, job: rotate }]);
  await stop();
});

test("a task that was taken since tasks were counted neither waits nor is the oldest", async () => {
  const { rotate, submit, worker, claim, look, depths, stop } = await scene();
  await submit(rotate);
  const counted = await depths();
  await claim(await worker([rotate]));
  const { waiting, reasons } = await look(counted);
  assert.deepEqual([waiting.ready, waiting.oldestTask, waiting.oldestReadyAt, reasons], [0, null, null, []]);
  await stop();
});

test("of several lanes the oldest is the task that has been ready longest, not the one that was made first", async () => {
  const { clock, rotate, job, submit, pass, look, depths, stop } = await scene();
  const crop = await job("@global:modifiers:Crop");
  await submit(rotate, { runAt: clock.now() + 60_000 });
  await pass(30_000);
  const { card } = await submit(crop);
  await pass(32_000);
  const { waiting } = await look(await depths());
  assert.deepEqual([waiting.ready, waiting.oldestTask, waiting.oldestReadyAt], [2, card.id, card.createdAt]);
  await stop();
});
