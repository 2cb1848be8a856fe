import assert from "node:assert/strict";
import { test } from "node:test";
import { type OutQueueLimits, outQueue } from "./out-queue.ts";

const limits = (some: Partial<OutQueueLimits> = {}): OutQueueLimits => ({
  messagesMax: 100,
  sizeMax: 1_000,
  messageSizeMax: 500,
  ...some,
});

test("what is said twice is said once, and the last word stays the last", () => {
  const queue = outQueue(limits());
  for (const state of ["running", "pending", "running"]) queue.add("task:1", state);
  assert.deepEqual(queue.take(1_000), [
    ["task:1", "pending"],
    ["task:1", "running"],
  ]);
  assert.equal(queue.length, 0);
});

test("topic and message are told apart wherever the border is", () => {
  const queue = outQueue(limits());
  queue.add("a", "bc");
  queue.add("ab", "c");
  assert.equal(queue.length, 2);
});

test("too many messages push out the oldest", () => {
  const queue = outQueue(limits({ messagesMax: 3 }));
  for (const message of ["1", "2", "3", "4", "5"]) queue.add("a", message);
  assert.deepEqual(
    queue.take(1_000).map(([, message]) => message),
    ["3", "4", "5"],
  );
  assert.equal(queue.dropped, 2);
});

test("too much text pushes out the oldest", () => {
  const queue = outQueue(limits({ sizeMax: 100 }));
  for (const letter of ["x", "y", "z"]) queue.add("a", letter.repeat(40));
  assert.deepEqual(
    queue.take(1_000).map(([, message]) => message[0]),
    ["y", "z"],
  );
  assert.equal(queue.dropped, 1);
});

test("a message too large for the wire is dropped alone", () => {
  const queue = outQueue(limits());
  queue.add("a", "small");
  queue.add("a", "x".repeat(501));
  assert.equal(queue.length, 1);
  assert.equal(queue.dropped, 1);
});

test("a bundle takes what fits and leaves the rest", () => {
  const queue = outQueue(limits());
  for (const letter of ["x", "y", "z"]) queue.add("a", letter.repeat(40));
  assert.equal(queue.take(50).length, 2);
  assert.equal(queue.take(50).length, 1);
  assert.deepEqual(queue.take(50), []);
});
