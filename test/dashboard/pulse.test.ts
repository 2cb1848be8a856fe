import assert from "node:assert/strict";
import { test } from "node:test";
import { isYoung } from "../../dashboard/src/pages/pulse/pulse.ts";

const now = "2026-01-31T12:00:30.000Z";

/** An hour in which this many came in the minute that began so many minutes ago. */
function hour(submitted: Readonly<Record<number, number>>) {
  const points = Array.from({ length: 60 }, (_, at) => ({
    at: new Date(Date.parse("2026-01-31T12:00:00.000Z") - (59 - at) * 60_000).toISOString(),
    ...{ submitted: submitted[59 - at] ?? 0, completed: 0, failed: 0, cancelled: 0, lost: 0 },
    ...{ wait_p50_ms: null, wait_p95_ms: null, run_p50_ms: null, run_p95_ms: null },
  }));
  return { points, now };
}

test("a server is young while nothing that is known of it is older than a quarter of an hour", () => {
  assert.ok(isYoung(hour({})));
  assert.ok(isYoung(hour({ 0: 4, 14: 1 })));
  assert.ok(!isYoung(hour({ 15: 1 })));
  assert.ok(!isYoung(hour({ 0: 4, 59: 1 })));
});
