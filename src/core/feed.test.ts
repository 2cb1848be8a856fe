import assert from "node:assert/strict";
import { test } from "node:test";
import { isInSight } from "./feed.ts";

const all = { rooms: null, jobs: null };
const lab = { rooms: ["lab"], jobs: null };
const rotating = { rooms: null, jobs: ["lab:*:Rotate"] };

const task = (room: string, job: string) => ({ rooms: [room], job });
const worker = (...rooms: string[]) => ({ rooms, job: null });

test("a token without limits sees everything, also workers that serve nothing", () => {
  assert.ok(isInSight(all, task("other", "other:a:B")));
  assert.ok(isInSight(all, worker()));
});

test("a token of rooms sees what happens in them and in the reserved ones", () => {
  assert.ok(isInSight(lab, task("lab", "lab:a:B")));
  assert.ok(isInSight(lab, task("@global", "@global:a:B")));
  assert.ok(!isInSight(lab, task("other", "@global:a:B")));
  assert.ok(isInSight(lab, worker("other", "lab")));
  assert.ok(!isInSight(lab, worker("other")));
  assert.ok(!isInSight(lab, worker()));
});

test("what is told once more, for further rooms, is for those who do not see them all", () => {
  assert.ok(!isInSight(all, { ...worker("lab"), again: true }));
  assert.ok(isInSight(lab, { ...worker("lab"), again: true }));
});

test("a token of jobs sees the tasks of those alone", () => {
  assert.ok(isInSight(rotating, task("lab", "lab:modifiers:Rotate")));
  assert.ok(!isInSight(rotating, task("lab", "lab:modifiers:Scale")));
  assert.ok(isInSight(rotating, worker("lab")));
});
