import assert from "node:assert/strict";
import { test } from "node:test";
import { progressText } from "./progress-bar.ts";

test("progress is a bar where it is known of how much, else a number", () => {
  assert.equal(
    progressText({ current: 6, total: 12, message: "rotating" }),
    `[${"█".repeat(12)}${"░".repeat(12)}] 50% 6/12 rotating`,
  );
  assert.equal(progressText({ current: 20, total: 10, message: null }), `[${"█".repeat(24)}] 100% 20/10`);
  for (let current = 0; current <= 100; current += 1)
    assert.match(progressText({ current, total: 100, message: null }), new RegExp(` ${current}% ${current}/100$`));
  assert.equal(progressText({ current: 6, total: null, message: "pages" }), "6 pages");
  assert.equal(progressText({ current: 0, total: 0, message: null }), "0");
});
