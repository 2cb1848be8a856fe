import assert from "node:assert/strict";
import { test } from "node:test";
import { clockText, spanText, timeAgo } from "./time-text.ts";

const at = "2026-11-15T09:38:36.995Z";
const now = Date.parse(at);

test("times are told from now on", () => {
  const said = [0, 999, 1_000, 59_999, 60_000, 3_600_000, 47 * 3_600_000, 48 * 3_600_000].map((ms) =>
    timeAgo(at, now + ms),
  );
  assert.deepEqual(said, ["now", "now", "1 s ago", "59 s ago", "1 min ago", "1 h ago", "47 h ago", "2 d ago"]);
  assert.equal(timeAgo(at, now - 90_000), "in 1 min");
});

test("how long something took is told as exactly as anyone wants to know", () => {
  const said = [0, 850, 1_250, 59_999, 184_000, 7_500_000, 300_000_000].map(spanText);
  assert.deepEqual(said, ["0 ms", "850 ms", "1.2 s", "59.9 s", "3 min 4 s", "2 h 5 min", "3 d 11 h"]);
});

test("a time of day is to the millisecond", () => {
  assert.equal(clockText(at), "09:38:36.995");
});
