import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedLog } from "../testing/recorded-log.ts";
import { lifeLine } from "./life-line.ts";

test("what was started first ends last, each thing once, and one that fails is told and passed over", async () => {
  const log = recordedLog();
  const life = lifeLine(log);
  const ended: string[] = [];
  life.add(() => void ended.push("first"));
  life.add(async () => {
    ended.push("second");
    throw new Error("It is stuck");
  });
  life.add(async () => void ended.push("third"));
  await life.end();
  await life.end();
  assert.deepEqual(ended, ["third", "second", "first"]);
  assert.equal(log.lines.length, 1);
});
