import assert from "node:assert/strict";
import { test } from "node:test";
import { lastChange, readyAt } from "./ready-at.ts";
import type { TaskEvent } from "./task-event.ts";

type Line = Pick<TaskEvent, "type" | "state" | "at" | "data">;

function line(type: TaskEvent["type"], at: number, about: Partial<Line> = {}): Line {
  return { type, at, state: "pending", data: null, ...about };
}

test("a task waits since it was submitted, and one with a delay since that is over", () => {
  assert.equal(readyAt([line("task.submitted", 5)]), 5);
  assert.equal(readyAt([line("task.submitted", 5, { data: '{"runAt":65}' })]), 65);
});

test("a task that came back waits since then, or since the delay before its next attempt is over", () => {
  const before = [line("task.submitted", 5), line("task.assigned", 6, { state: "running" })];
  assert.equal(readyAt([...before, line("task.lost", 7)]), 7);
  assert.equal(readyAt([...before, line("task.retried", 7, { data: '{"error":"x","runAt":null}' })]), 7);
  assert.equal(readyAt([...before, line("task.released", 7, { data: '{"runAt":9}' })]), 9);
});

test("a message that is told again, or a child that is counted, does not make a task wait anew", () => {
  assert.equal(readyAt([line("task.submitted", 5), line("task.republished", 600), line("task.counted", 700)]), 5);
});

test("a task in somebody's hands, or one of which too little is known, waits since no time", () => {
  assert.equal(readyAt([line("task.submitted", 5), line("task.claimed", 6, { state: "claimed" })]), null);
  assert.equal(readyAt([line("task.lost", 6, { state: "failed" })]), null);
  assert.equal(readyAt([line("task.republished", 600)]), null);
  assert.equal(readyAt([]), null);
});

test("whoever may take a task hears of each of its moves but of children that are counted", () => {
  const [submitted, released, told] = [
    line("task.submitted", 5),
    line("task.released", 7),
    line("task.republished", 9),
  ];
  const counted = line("task.counted", 8);
  assert.equal(lastChange([]), undefined);
  assert.equal(lastChange([submitted, counted, counted]), submitted);
  assert.equal(lastChange([submitted, counted, released]), released);
  assert.equal(lastChange([submitted, released, counted, told]), told);
});
