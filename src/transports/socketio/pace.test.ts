import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { manualClock } from "../../testing/manual-clock.ts";
import { pace } from "./pace.ts";

const word = (n: number) => ({ text: `["e",${n}]`, key: `${n}`, job: null });

function scene(size: number) {
  const clock = manualClock();
  const sent: string[] = [];
  const send = (room: string, news: readonly { readonly key: string }[]): void => {
    sent.push(`${room} ${news.map(({ key }) => key).join()}`);
  };
  return { clock, sent, crowd: pace({ clock, sizeOf: () => size, send }) };
}

test("a quiet room is told at once, and everything that was said in one moment together", async () => {
  const { sent, crowd } = scene(1);
  crowd.add("room:a", word(1));
  crowd.add("room:a", word(2));
  crowd.add("room:b", word(3));
  await turn();
  assert.deepEqual(sent, ["room:a 1,2", "room:b 3"]);
});

test("a crowd is told in moments that are longer the larger it is, and misses nothing", async () => {
  for (const [size, gatherMs] of [
    [200, 10],
    [2_000, 100],
    [90_000, 100],
  ] as const) {
    const { clock, sent, crowd } = scene(size);
    crowd.add("room:a", word(1));
    await turn();
    crowd.add("room:a", word(2));
    clock.advance(gatherMs - 1);
    crowd.add("room:a", word(3));
    await turn();
    assert.deepEqual(sent, ["room:a 1"]);
    clock.advance(1);
    await turn();
    assert.deepEqual(sent, ["room:a 1", "room:a 2,3"]);
    clock.advance(gatherMs);
    await turn();
    crowd.add("room:a", word(4));
    await turn();
    assert.deepEqual(sent.at(-1), "room:a 4", "it was quiet again");
  }
});
