import assert from "node:assert/strict";
import { test } from "node:test";
import { fruitlessRounds } from "./fruitless-rounds.ts";

const refused = (...ids: string[]) => ({ claimed: 0, refused: ids });

test("nobody waits before he has been round once, and longer after each round that brought nothing", () => {
  const { pauseMs } = fruitlessRounds();
  assert.deepEqual([refused("a"), refused("b"), refused("c")].map(pauseMs), [0, 0, 0]);
  const rounds = Array.from({ length: 7 }, () => {
    const first = pauseMs(refused("a"));
    return [first, pauseMs(refused("b"))];
  });
  assert.deepEqual(
    rounds.map(([first]) => first),
    [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000],
  );
});

test("one that was claimed begins a new round, and so does one that was passed over", () => {
  const { pauseMs } = fruitlessRounds();
  assert.equal(pauseMs(refused("a")), 0);
  assert.equal(pauseMs(refused("a")), 500);
  assert.equal(pauseMs({ claimed: 1, refused: ["a"] }), 0);
  assert.equal(pauseMs({ claimed: 0, refused: [] }), 0);
  assert.equal(pauseMs(refused("a")), 500);
});

test("a round of a long queue ends after a thousand", () => {
  const { pauseMs } = fruitlessRounds();
  const waited = Array.from({ length: 1_001 }, (_, nth) => pauseMs(refused(String(nth))));
  assert.deepEqual(waited.filter((ms) => ms > 0).length, 1);
});
