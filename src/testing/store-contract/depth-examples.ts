import assert from "node:assert/strict";
import type { LaneDepth } from "../../ports/store-reads.ts";
import { aTask, taskId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { type Example, start } from "./stage.ts";

const now = worldStart + 50;

/** A lane with nothing in it may be left out. */
export function isEmptyDepth({ ready, delayed, held, deferred }: LaneDepth): boolean {
  return ready + delayed + held + deferred === 0;
}

export function depthExamples(example: Example): void {
  example(
    "depths tell what is ready, delayed and held, and what waits for its children, in each lane, and the oldest that is ready",
    async (stage) => {
      const [a, b, c] = [await stage.begin(), await stage.lane({ queue: "b" }), await stage.lane({ queue: "c" })];
      await stage.lane({ queue: "empty" });
      await stage.submit(
        ...[1, 2].map((n) => aTask({ id: taskId(n), lane: a })),
        aTask({ id: taskId(3), lane: a, priority: 5 }),
        aTask({ id: taskId(4), lane: a, runAt: now + 1_000 }),
        aTask({ id: taskId(5), lane: b, runAt: now + 1_000 }),
        aTask({ id: taskId(6), lane: c, priority: 1 }),
        aTask({ id: taskId(7), lane: c }),
      );
      await stage.claims([c, a], { limit: 2 }, now);
      const d = await stage.lane({ queue: "d" });
      await stage.submit(aTask({ id: taskId(8), lane: d }));
      await stage.settle(await stage.claim(d, {}, now), [start, { type: "defer", total: 1 }], now);
      const depths = (await stage.store.read("depths", {})).filter((depth) => !isEmptyDepth(depth));
      assert.deepStrictEqual(depths, [
        { lane: a, ready: 2, delayed: 1, held: 1, deferred: 0, oldestId: taskId(1) },
        { lane: b, ready: 0, delayed: 1, held: 0, deferred: 0, oldestId: null },
        { lane: c, ready: 1, delayed: 0, held: 1, deferred: 0, oldestId: taskId(7) },
        { lane: d, ready: 0, delayed: 0, held: 0, deferred: 1, oldestId: null },
      ]);
    },
  );

  example("depths of a room have only its tasks", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    await stage.submit(
      aTask({ id: taskId(1), lane: a, room: "other" }),
      aTask({ id: taskId(2), lane: a, room: "mine" }),
      aTask({ id: taskId(3), lane: a, room: "mine", runAt: now + 1_000 }),
      aTask({ id: taskId(4), lane: a, room: "mine" }),
      aTask({ id: taskId(5), lane: b, room: "mine" }),
    );
    const read = (rooms: readonly string[], lanes: readonly number[]) =>
      stage.store.read("roomDepths", { rooms, lanes });
    const mine = { lane: a, ready: 2, delayed: 1, held: 0, deferred: 0, oldestId: taskId(2) };
    assert.deepStrictEqual(await read(["mine"], [a]), [mine]);
    assert.deepStrictEqual(await read(["mine", "other"], [a, b]), [
      { ...mine, ready: 3, oldestId: taskId(1) },
      { lane: b, ready: 1, delayed: 0, held: 0, deferred: 0, oldestId: taskId(5) },
    ]);
    assert.deepStrictEqual(await read(["nobody's"], [a, b]), []);
    assert.deepStrictEqual(await read(["mine"], []), []);
  });
}
