import assert from "node:assert/strict";
import { test } from "node:test";
import { wakingTime } from "./waking-time.ts";

test("time passes while the machine sleeps, and does not go back where its clock is set", () => {
  let [steady, wall] = [0, 1_000_000];
  const time = wakingTime(
    () => steady,
    () => wall,
  );
  [steady, wall] = [100, 1_000_100];
  assert.equal(time(), 100);
  wall += 60_000;
  assert.equal(time(), 60_100, "it slept");
  [steady, wall] = [200, 500_000];
  assert.equal(time(), 60_200, "its clock was set back");
});
