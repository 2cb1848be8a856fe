import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { limitedClaims } from "./limited-claims.ts";

test("a claim counts by the limit that stands when it asks, also where it changed while it counted", async () => {
  let value = 5;
  const kept: number[] = [];
  const asked: number[] = [];
  const claim = limitedClaims(
    { clock: manualClock() },
    {
      catalog: { worker: () => ({ orders: { concurrency: { value } } }), onChange: () => undefined } as never,
      seats: {
        async keep() {
          const count = value;
          // The operator changes it while the first look is under way.
          if (kept.length === 0) value = 1;
          kept.push(count);
          await Promise.resolve();
          return { count, free: () => void kept.push(-count) };
        },
      },
      claim: async ({ limit }) => {
        asked.push(limit);
        return [];
      },
    },
  );
  await claim({ worker: "w", limit: 10, assign: true, waitMs: 0 });
  assert.deepEqual(asked, [1]);
  assert.deepEqual(kept, [5, -5, 1, -1], "and keeps no seats that it does not use");
});
