import assert from "node:assert/strict";
import { test } from "node:test";
import { passage } from "./passage.ts";

test("whoever stays is still there, in order, however many pass, and the map behind is another in time", () => {
  const all = passage<string, number>();
  const first = all.map();
  all.set("stays", -1);
  for (let nth = 0; nth < 5_000; nth += 1) {
    all.set(`passes ${nth}`, nth);
    if (nth >= 3) all.delete(`passes ${nth - 3}`);
  }
  assert.notEqual(all.map(), first);
  assert.deepEqual(
    [...all.map()],
    [
      ["stays", -1],
      ["passes 4997", 4_997],
      ["passes 4998", 4_998],
      ["passes 4999", 4_999],
    ],
  );
});
