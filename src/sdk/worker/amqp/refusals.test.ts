import assert from "node:assert/strict";
import { test } from "node:test";
import { refusals } from "./refusals.ts";

function aWorld() {
  let time = 0;
  const { mayAsk, restMs } = refusals(() => time);

  /** Meets these, one after the other; the server refuses whatever it is asked for. */
  function meet(...ids: string[]): { readonly asked: readonly string[]; readonly restMs: number } {
    const asked = ids.filter(mayAsk);
    return { asked, restMs: restMs({ claimed: 0, asked, refused: ids }) };
  }

  return {
    ...{ mayAsk, restMs, meet },
    pass(ms: number) {
      time += ms;
    },
  };
}

test("a task that was refused is asked for again after a while, and after longer each time", () => {
  const { meet, pass } = aWorld();
  const asked: number[] = [];
  for (let ms = 0; ms < 60_000; ms += 50) {
    if (meet("a").asked.length > 0) asked.push(ms);
    pass(50);
  }
  assert.deepEqual(asked, [0, 250, 750, 1_750, 3_750, 7_750, 15_750, 25_750, 35_750, 45_750, 55_750]);
});

test("one that was given, or is over, is forgotten", () => {
  const { meet, mayAsk, restMs } = aWorld();
  meet("a");
  assert.equal(mayAsk("a"), false);
  restMs({ claimed: 1, asked: ["a"], refused: [] });
  assert.equal(mayAsk("a"), true);
});

test("however many were refused, few of them are asked for again in a second", () => {
  const { meet, pass } = aWorld();
  const ids = Array.from({ length: 500 }, (_, nth) => String(nth));
  assert.equal(meet(...ids).asked.length, 500);
  pass(20_000);
  assert.equal(meet(...ids).asked.length, 10);
  pass(999);
  assert.equal(meet(...ids).asked.length, 0);
  pass(1);
  assert.equal(meet(...ids).asked.length, 10);
});

test("nobody rests before he has been round once", () => {
  const { meet } = aWorld();
  assert.deepEqual(
    ["a", "b", "c", "a", "b", "c", "a"].map((id) => meet(id).restMs),
    [0, 0, 0, 500, 0, 0, 500],
  );
});

test("one that was claimed begins a new round", () => {
  const { meet, restMs } = aWorld();
  meet("a");
  assert.equal(restMs({ claimed: 1, asked: ["b"], refused: ["a"] }), 0);
  assert.equal(meet("a").restMs, 500);
});

test("whoever has gone round a long queue rests for longer, but never for long", () => {
  const { meet } = aWorld();
  const ids = Array.from({ length: 300 }, (_, nth) => String(nth));
  assert.deepEqual(
    [...ids, ...ids]
      .map((id) => meet(id).restMs)
      .filter((ms) => ms > 0)
      .at(0),
    1_200,
  );
  const endless = aWorld();
  const rests = Array.from({ length: 5_000 }, (_, nth) => endless.meet(String(nth)).restMs).filter((ms) => ms > 0);
  assert.deepEqual(new Set(rests), new Set([4_000]));
});
