import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  ago,
  byOurClock,
  bytes,
  clockTime,
  count,
  duration,
  howLong,
  percent,
  plural,
} from "../../dashboard/src/parts/text.ts";

test("a duration is told in at most two units", () => {
  assert.equal(duration(0), "0 ms");
  assert.equal(duration(999), "999 ms");
  assert.equal(duration(1_500), "1.5 s");
  assert.equal(duration(42_000), "42 s");
  assert.equal(duration(90_000), "1 min 30 s");
  assert.equal(duration(3_600_000), "1 h");
  assert.equal(duration(90_061_000), "1 d 1 h");
  assert.equal(duration(null), "–");
});

test("whatever the duration, its text has a number and is short", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => {
      const text = duration(ms);
      assert.match(text, /^\d+(\.\d)? (ms|s|min|h|d)( \d+ (s|min|h))?$/);
    }),
  );
});

test("a moment is told as how long ago, or in how long", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  assert.equal(ago("2026-01-31T11:59:59.500Z", now), "now");
  assert.equal(ago("2026-01-31T11:58:30Z", now), "1 min ago");
  assert.equal(ago("2026-01-31T13:00:00Z", now), "in 1 h");
});

test("what lasts is told in whole seconds, and never begins in the future", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  assert.equal(howLong("2026-01-31T11:48:40Z", now), "11 min 20 s");
  assert.equal(howLong("2026-01-31T11:59:57.100Z", now), "2 s");
  assert.equal(howLong("2026-01-31T12:00:09Z", now), "0 s");
});

test("a moment in a sentence is told by the reader's clock, with its day unless that is today", () => {
  const [today, later] = ["2026-01-31T12:00:53.595Z", "2026-02-03T12:00:00Z"];
  const now = Date.parse("2026-01-31T12:00:00Z");
  assert.equal(clockTime(today, now), new Date(today).toLocaleTimeString());
  assert.equal(clockTime(later, now), new Date(later).toLocaleString());
  const told = byOurClock(`Paused until ${today}, at the latest ${later}: INC-2291`, now);
  assert.equal(told, `Paused until ${clockTime(today, now)}, at the latest ${clockTime(later, now)}: INC-2291`);
  assert.equal(byOurClock("Not before 2026-02-03 12:00:00 UTC", now), `Not before ${clockTime(later, now)}`);
});

test("a share is nothing or all only where it is", () => {
  assert.deepEqual([0, 0.0004, 0.9996, 0.99, 1].map(percent), ["0 %", "< 0.1 %", "99.9 %", "99 %", "100 %"]);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
      assert.equal(Number.parseFloat(percent(share)) === 100, share === 1);
      assert.equal(/^0(\.0)? /.test(percent(share)), share === 0);
    }),
  );
});

test("figures are exact while they are short", () => {
  assert.equal(count(99_999), "99,999");
  assert.equal(count(1_234_567), "1.2M");
  assert.equal(percent(0.0123), "1.2 %");
  assert.equal(percent(0.5), "50 %");
  assert.equal(percent(null), "–");
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1_536), "1.5 KiB");
  assert.equal(bytes(3 * 1_024 ** 3), "3.0 GiB");
  assert.equal(plural(1, "task"), "1 task");
  assert.equal(plural(2, "task"), "2 tasks");
});
