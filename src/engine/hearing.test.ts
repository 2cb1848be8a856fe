import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles, isLost } from "../core/liveness.ts";
import { aWorker } from "../testing/builders.ts";
import { hearing } from "./hearing.ts";

/** Ticks each second, but where it is told to be away. */
function anEar() {
  let now = 0;
  const ear = hearing({ startedAt: 0, pulseMs: 1_000, profiles: defaultProfiles });
  const away = (ms: number): void => {
    now += ms;
    ear.tick(now);
  };
  const listen = (seconds: number): void => {
    for (let n = 0; n < seconds; n += 1) away(1_000);
  };
  return { away, listen, since: (windowMs: number) => ear.since(now, windowMs), ear, now: () => now };
}

test("after a window in which this server was away, that window begins anew, and shorter ones too", () => {
  const { away, listen, since } = anEar();
  away(100_000);
  listen(10);
  away(20_000);
  listen(10);
  away(7_000);
  assert.deepEqual([5_000, 15_000, 60_000, 360_000].map(since), [147_000, 130_000, 100_000, 0]);
  away(31_000);
  assert.deepEqual([5_000, 15_000, 60_000, 360_000].map(since), [178_000, 178_000, 100_000, 0]);
});

test("what is not listened to does not count, and who was not answered has time to try again", () => {
  const { away, listen, ear, now } = anEar();
  listen(10);
  away(3_000);
  listen(10);
  away(4_000);
  listen(10);
  assert.equal(ear.unheardMs(0, now()), 2_000 + 3_000 + 5_000);
  assert.equal(ear.unheardMs(12_000, now()), 1_000 + 3_000 + 5_000, "of a gap, what came after it");
  assert.equal(ear.unheardMs(20_000, now()), 3_000 + 5_000);
  assert.equal(ear.unheardMs(27_000, now()), 0);
  assert.equal(ear.unheardMs(27_000, now() + 9_000), 8_000 + 5_000, "it is away now");
});

test("however often this server is late, whoever is silent for good is found in the end", () => {
  const { away, ear, now } = anEar();
  const session = { ...aWorker({ session: { seenAt: 0 } }).session, lostMs: 120_000, unreachableMs: null };
  let silentMs = 0;
  while (!isLost(ear.fair(session, now()), now())) {
    away(2_500);
    silentMs += 2_500;
    assert.ok(silentMs < 500_000, "it is never found");
  }
  assert.ok(silentMs > 120_000);
});
