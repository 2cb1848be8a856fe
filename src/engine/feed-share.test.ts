import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../testing/manual-clock.ts";
import { recordedBus } from "../testing/recorded-bus.ts";
import { feedTopic } from "./announce.ts";
import { feedPerSecondMax, feedShare } from "./feed-share.ts";

function taken(share: { take(): boolean }, times: number): number {
  return Array.from({ length: times }, () => share.take()).filter(Boolean).length;
}

test("a feed that nobody listens to has no share", () => {
  assert.equal(feedShare(recordedBus(), manualClock()).take(), false);
});

test("a feed is told so many events a second, then how many were left out", () => {
  const [bus, clock] = [recordedBus(), manualClock()];
  bus.subscribe(feedTopic, () => undefined);
  const share = feedShare(bus, clock);
  const said = () => bus.published.map(({ message }) => message.split("\n")[1]);
  assert.equal(taken(share, feedPerSecondMax), feedPerSecondMax);
  clock.advance(1_000);
  assert.deepEqual(said(), [], "nothing was left out");
  assert.equal(taken(share, feedPerSecondMax + 3), feedPerSecondMax);
  clock.advance(1_000);
  assert.deepEqual(said(), ['["feed_skipped",{"events":3}]']);
  assert.equal(taken(share, 1), 1);
  clock.advance(5_000);
  assert.equal(said().length, 1, "it is said once");
});
