import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type FailureCount, failuresBy, hourMs, minuteMs, type Statistic, statisticsBy } from "./statistics.ts";
import { partOf, partsOf, steppedSpan, trendLength, trendSpan, windowNames } from "./window.ts";

const some = fc.nat(5);
const times = fc.nat(300).map((minute) => minute * minuteMs);
const statistics: fc.Arbitrary<Statistic> = fc.record({
  at: times,
  room: fc.constantFrom("a", "b"),
  job: fc.constantFrom("a:x:One", "a:x:Two"),
  ...{ submitted: some, started: some, completed: some, failed: some, cancelled: some, lost: some, retried: some },
  wait: fc.array(some, { maxLength: 4 }),
  run: fc.array(some, { maxLength: 4 }),
});

const failures: fc.Arbitrary<FailureCount> = fc
  .tuple(times, fc.constantFrom("a", "b"), fc.constantFrom("f1", "f2"), fc.nat(minuteMs - 1), fc.uuid())
  .map(([at, room, fingerprint, after, task]) => {
    const about = { job: "a:x:One", code: null, error: task, task };
    return { at, room, fingerprint, tasks: 1, ...about, firstAt: at + after, lastAt: at + after };
  });

test("hours are the same whether they are summed up from minutes or from all that was counted", () => {
  fc.assert(
    fc.property(fc.array(statistics, { maxLength: 30 }), (all) => {
      assert.deepEqual(statisticsBy(hourMs, statisticsBy(minuteMs, all)), statisticsBy(hourMs, all));
    }),
  );
  fc.assert(
    fc.property(fc.array(failures, { maxLength: 30 }), (all) => {
      const counts = (each: readonly FailureCount[]) =>
        each.map(({ at, room, fingerprint, tasks, firstAt, lastAt }) => [
          at,
          room,
          fingerprint,
          tasks,
          firstAt,
          lastAt,
        ]);
      assert.deepEqual(counts(failuresBy(hourMs, failuresBy(minuteMs, all))), counts(failuresBy(hourMs, all)));
    }),
  );
});

test("the sample of a failure is the last of them", () => {
  const about = { room: "a", fingerprint: "f", tasks: 1, job: "a:x:One", code: null };
  const first = { ...about, at: 0, task: "1", error: "first", firstAt: 10, lastAt: 10 };
  const last = { ...about, at: minuteMs, task: "2", error: "last", firstAt: minuteMs + 5, lastAt: minuteMs + 5 };
  for (const all of [
    [first, last],
    [last, first],
  ]) {
    assert.deepEqual(failuresBy(hourMs, all), [{ ...last, at: 0, tasks: 2, firstAt: 10 }]);
  }
});

test("now is in the last step of every window, and whatever is kept of it within the trend", () => {
  fc.assert(
    fc.property(fc.constantFrom(...windowNames), fc.integer({ min: 1e12, max: 3e12 }), (window, now) => {
      for (const span of [steppedSpan(window, now), trendSpan(window, now)]) {
        assert.equal(partOf(span, span.since), 0);
        assert.ok(Number.isInteger(span.since / span.keptMs), "it begins with a minute or an hour that is kept");
        assert.ok(Number.isInteger(span.widthMs));
      }
      const [steps, trend] = [steppedSpan(window, now), trendSpan(window, now)];
      assert.equal(partOf(steps, now), partsOf(steps) - 1);
      assert.ok(partOf(trend, now) < trendLength && partOf(trend, trend.until) === trendLength);
      assert.equal(partsOf(trend), trendLength);
    }),
  );
});
