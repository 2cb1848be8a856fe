import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { settled } from "../../testing/world.ts";
import { emptiness } from "./emptiness.ts";

/** A broker with these queues, which does something after each of its answers. */
function broker(depths: Record<string, number>, after: (queue: string) => void = () => {}) {
  const depth = async (queue: string): Promise<number | null> => {
    const answer = depths[queue] ?? null;
    after(queue);
    return answer;
  };
  return { depth };
}

test("a queue counts as empty from before it was asked: what was confirmed meanwhile may not have been there", async () => {
  const clock = manualClock();
  const asked = clock.now();
  const seen = emptiness(
    clock,
    broker({ batch: 0 }, () => clock.advance(700)),
    ["batch"],
  );
  assert.equal(await seen.depth("batch"), 0);
  assert.equal(seen.seenAt(["batch"]), asked);
  await seen.look();
  assert.equal(seen.seenAt(["batch"]), asked + 700);
});

test("queues are empty together where none of them has a message, and only those that were so in the same moment", async () => {
  const clock = manualClock();
  const depths = { batch: 0, write: 0, store: 1 };
  const seen = emptiness(clock, broker(depths), ["batch", "write", "store"]);
  const first = clock.now();
  await seen.look();
  assert.deepEqual([seen.seenAt(["batch", "write"]), seen.seenAt(["write"])], [first, first]);
  assert.equal(seen.seenAt(["batch", "store"]), Number.NEGATIVE_INFINITY);
  clock.advance(10_000);
  Object.assign(depths, { write: 1, store: 0 });
  assert.equal(await seen.depth("batch"), 0);
  await settled();
  assert.deepEqual([seen.seenAt(["batch", "store"]), seen.seenAt(["batch", "write"])], [first + 10_000, first]);
});

for (const asks of ["all of them", "first the one it goes to"]) {
  test(`a message that is handed on from queue to queue while somebody asks ${asks} is seen`, async () => {
    const depths: Record<string, number> = { write: 0, batch: 1 };
    const courier = broker(depths, (queue) => {
      if (queue === "write") Object.assign(depths, { write: 1, batch: 0 });
    });
    const seen = emptiness(manualClock(), courier, ["write", "batch"]);
    if (asks === "all of them") await seen.look();
    else assert.equal(await seen.depth("write"), 0);
    await settled();
    assert.equal(seen.seenAt(["write", "batch"]), Number.NEGATIVE_INFINITY);
  });
}
