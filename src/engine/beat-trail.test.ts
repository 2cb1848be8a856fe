import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { beatTrail, type HeardBeat, trailLength } from "./beat-trail.ts";

const silent = { loopLagMs: null, cpuPercent: null, ramBytes: null };

test("a trail shows the last beats with the time between them, and what was said along with each", () => {
  const trail = beatTrail();
  assert.deepEqual(trail.beats(), []);
  trail.described({ ...silent, cpuPercent: 1 });
  trail.heard(1_000);
  trail.heard(2_000);
  trail.described({ loopLagMs: 0, cpuPercent: null, ramBytes: 2 ** 40 + 1 });
  trail.heard(3_500);
  assert.deepEqual(trail.beats(), [
    { at: 1_000, gapMs: null, ...silent },
    { at: 2_000, gapMs: 1_000, loopLagMs: 0, cpuPercent: null, ramBytes: 2 ** 40 + 1 },
    { at: 3_500, gapMs: 1_500, ...silent },
  ]);
});

test("what follows a beat at once is the same sign of life", () => {
  const trail = beatTrail();
  for (const at of [1_000, 1_249, 1_250, 1_400]) trail.heard(at);
  assert.deepEqual(
    trail.beats().map(({ at }) => at),
    [1_000, 1_250],
  );
});

test("however many beats there were, the last of them are kept, each with its own words", () => {
  const step = fc.record({ gap: fc.integer({ min: 250, max: 9_999 }), lag: fc.option(fc.nat(99)) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3 * trailLength }), (steps) => {
      const trail = beatTrail();
      const all: HeardBeat[] = [];
      let at = 1;
      for (const [nth, { gap, lag }] of steps.entries()) {
        at += gap;
        trail.heard(at);
        if (lag !== null) trail.described({ ...silent, loopLagMs: lag });
        all.push({ ...silent, at, gapMs: nth === 0 ? null : gap, loopLagMs: lag });
      }
      assert.deepEqual(trail.beats(), all.slice(-trailLength));
    }),
  );
});
