import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText, parseDuration } from "./duration.ts";

test("a duration has a unit, or is in milliseconds", () => {
  const read = (text: string): number | undefined => parseDuration(text, "LEADHAND_START_WITHIN");
  assert.deepEqual(
    ["500ms", "30s", "5m", "24h", "7d", "1.5h", "250"].map(read),
    [500, 30_000, 300_000, 86_400_000, 604_800_000, 5_400_000, 250],
  );
  assert.deepEqual(["", "s", "-1s", "5 m", "1e3", "5min", "0x10"].map(read), Array(7).fill(undefined));
});

test("a name that ends in _SECONDS takes plain seconds", () => {
  assert.equal(parseDuration("60", "LEADHAND_WORKER_TIMEOUT_SECONDS"), 60_000);
  assert.equal(parseDuration("0.01", "LEADHAND_CLAIM_BASE_DELAY_SECONDS"), 10);
  assert.equal(parseDuration("60s", "LEADHAND_WORKER_TIMEOUT_SECONDS"), undefined);
});

test("a name that ends in _MS takes plain milliseconds", () => {
  assert.equal(parseDuration("120000", "WORKER_UNREACHABLE_THRESHOLD_MS"), 120_000);
  assert.equal(parseDuration("2m", "WORKER_UNREACHABLE_THRESHOLD_MS"), undefined);
});

test("a duration is written as its variable would take it", () => {
  for (const variable of ["X", "X_SECONDS", "X_MS"]) {
    for (const ms of [0, 1, 10, 500, 1_000, 90_000, 300_000, 86_400_000]) {
      assert.equal(parseDuration(durationText(ms, variable), variable), ms);
    }
  }
  assert.equal(durationText(300_000, "X"), "5m");
});
