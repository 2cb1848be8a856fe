// Wires that lose frames, hold them up, carry them one way alone or not at all. Whatever is lost: no attempt lingers for
// longer than the window, and each task ends once.

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { HistoryRecord } from "../../src/ports/store-reads.ts";
import { until } from "../../src/testing/until.ts";
import { chance, newSeed } from "./chance.ts";
import { type FrameProxy, frameProxy, type Way } from "./work/frame-proxy.ts";
import { brief, holding, type WorkStage, workStage } from "./work/stage.ts";

const windowMs = 3_000;
/** What a sweep, and a machine that does other things too, may add. */
const sweepMs = 1_500;
const handlerMs = 200;

async function scene(t: TestContext): Promise<{ readonly stage: WorkStage; readonly proxy: FrameProxy }> {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  // Where frames are lost all the time, one task may lose its worker more often than a job puts up with.
  const settings = { ...brief(windowMs), LEADHAND_MAX_LEASE_REQUEUES: "20" };
  const stage = await workStage({ settings });
  return { stage, proxy: await frameProxy(stage.server.url, chance(seed)) };
}

/** From each time it was handed out until that came to an end. */
function longestMs(histories: ReadonlyMap<string, HistoryRecord>): number {
  let longest = 0;
  for (const { events } of histories.values()) {
    events.forEach(({ type, at }, index) => {
      if (type === "task.assigned") longest = Math.max(longest, (events[index + 1]?.at ?? Number.NaN) - at);
    });
  }
  return longest;
}

function summary(histories: ReadonlyMap<string, HistoryRecord>): string {
  const counts: Record<string, number> = {};
  for (const { events, task } of histories.values()) {
    for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
    assert.equal(task.row.state, "completed", JSON.stringify(events));
  }
  return JSON.stringify(counts);
}

describe("bad wires", { concurrency: 3 }, () => {
  test("with every tenth frame lost, both ways, no task is stranded and each ends once", async (t) => {
    const { stage, proxy } = await scene(t);
    await Promise.all([4, 4, 4].map((concurrency) => stage.hire({ concurrency }, proxy.url)));
    proxy.set({ loss: 0.1 });
    await stage.submit(150, () => ({ ms: handlerMs }));
    await stage.allEnded(60_000);
    proxy.set({});
    const histories = await stage.settle();
    t.diagnostic(`${proxy.lost} of ${proxy.lost + proxy.passed} frames lost; ${summary(histories)}`);
    assert.ok(proxy.lost > 10);
    const longest = longestMs(histories);
    assert.ok(longest <= handlerMs + windowMs + sweepMs, `an attempt lingered for ${longest} ms`);
  });

  test("frames that come late cost time and nothing else", async (t) => {
    const { stage, proxy } = await scene(t);
    await Promise.all([4, 4].map((concurrency) => stage.hire({ concurrency }, proxy.url)));
    proxy.set({ delayMs: [50, 400] });
    await stage.submit(60, () => ({ ms: handlerMs }));
    await stage.allEnded(60_000);
    const histories = await stage.settle();
    t.diagnostic(summary(histories));
    for (const { task, events } of histories.values()) assert.equal(task.row.attempt, 1, JSON.stringify(events));
  });

  const silences: readonly (readonly [string, ...Way[]])[] = [
    ["the server's words are lost", "down"],
    ["the worker's words are lost", "up"],
    ["nothing is carried and nobody is told", "up", "down"],
  ];
  for (const [what, ...ways] of silences) {
    test(`a connection on which ${what} strands nothing for longer than the window`, async (t) => {
      const { stage, proxy } = await scene(t);
      const [victim] = await Promise.all([stage.hire({ concurrency: 4 }, proxy.url), stage.hire({ concurrency: 4 })]);
      assert.ok(victim);
      const ids = await stage.submit(120, () => ({ ms: handlerMs }));
      await until("it is at work", () => holding(victim).length === 4, 10_000);
      proxy.silence(...ways);
      await stage.allEnded(30_000);
      // It has found its way back.
      const [later = ""] = await stage.submit(1, () => ({ ms: 10 }));
      await stage.client.wait(later, { timeoutMs: 15_000 });
      const histories = await stage.settle();
      t.diagnostic(`${summary(histories)} of ${ids.length} tasks`);
      const longest = longestMs(histories);
      assert.ok(longest <= handlerMs + windowMs + sweepMs, `an attempt lingered for ${longest} ms`);
    });
  }
});
