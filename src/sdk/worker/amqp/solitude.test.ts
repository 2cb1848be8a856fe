import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { Verdict } from "../../amqp/consuming.ts";
import { solitude } from "./solitude.ts";

function scene() {
  const clock = manualClock();
  const told: string[] = [];
  const alone = solitude({
    begin: async () => void told.push("begin"),
    end: () => void told.push("end"),
    alarm: (ms, ring) => clock.alarm(clock.now() + ms, ring),
  });
  return { clock, told, alone };
}

test("one under suspicion is alone until it has ended", async () => {
  const { clock, told, alone } = scene();
  assert.equal(await alone.enter(async () => "ack"), "ack");
  assert.deepEqual([told, alone.isTaken(), clock.nextAt()], [["begin", "end"], false, null]);
});

test("one that hangs keeps the others waiting for ten minutes, and not for ever", async () => {
  const { clock, told, alone } = scene();
  let wake: (verdict: Verdict) => void = () => {};
  const first = alone.enter(() => new Promise((resolve) => (wake = resolve)));
  await turn();
  clock.advance(599_999);
  assert.equal(alone.isTaken(), true);
  clock.advance(1);
  assert.deepEqual([told, alone.isTaken()], [["begin", "end"], false]);
  void alone.enter(() => new Promise(() => {}));
  await turn();
  wake("ack");
  assert.equal(await first, "ack");
  assert.deepEqual([told, alone.isTaken()], [["begin", "end", "begin"], true], "it is the second's now");
});
