import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../testing/manual-clock.ts";
import type { Catalog } from "./catalog.ts";
import { newLanes } from "./new-lanes.ts";

function scene() {
  const clock = manualClock();
  const asked: (readonly number[])[] = [];
  let change: (change: unknown) => void = () => undefined;
  const catalog = { onChange: (listener: typeof change) => (change = listener) } as unknown as Catalog;
  const watched = newLanes(clock, catalog, (lanes) => void asked.push(lanes));
  return { clock, asked, watched, change: (...ids: number[]) => change({ lanes: ids.map((id) => ({ id })) }) };
}

test("a lane that is new is asked at once, and again when everybody has heard that we listen", () => {
  const { clock, asked, change } = scene();
  change(1);
  assert.deepEqual(asked, [[1]]);
  clock.advance(100);
  change(1, 2);
  clock.advance(149);
  assert.deepEqual(asked, [[1], [2]]);
  clock.advance(1);
  assert.deepEqual(asked, [[1], [2], [1, 2]]);
  change(1, 2);
  clock.advance(1_000);
  assert.equal(asked.length, 3, "one that is known is not asked because it has changed");
});

test("once stopped it asks nothing more", () => {
  const { clock, asked, watched, change } = scene();
  change(1);
  watched.stop();
  clock.advance(1_000);
  assert.deepEqual(asked, [[1]]);
});
