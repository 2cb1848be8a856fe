import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseMs } from "./kept-process.ts";

test("the pause before a process is started again doubles from a second to half a minute", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 60].map(pauseMs), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});
