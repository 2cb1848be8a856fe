import assert from "node:assert/strict";
import { test } from "node:test";
import { areLost, atOnceMax, bundled, operationMessage, roomIn, taskMessage } from "./messages.ts";

test("a message names its task; one of an operation says whose it is and which, with its payload as it came", () => {
  assert.equal(taskMessage("t1"), '{"job_id":"t1"}');
  const message = { operation: 'a "b"', parent: "t1", index: 7, payload: '{"n":1.50}' };
  assert.equal(operationMessage(message), '{"operation":"a \\"b\\"","job_id":"t1","index":7,"payload":{"n":1.50}}');
});

test("what waits in a queue and what was sent since leave so much room, and never less than none", () => {
  assert.equal(roomIn(3, 2, 10), 5);
  assert.equal(roomIn(9, 5, 10), 0);
  assert.deepEqual([roomIn(2, 0, 10, 4), roomIn(2, 1, 10, 4), roomIn(2, 3, 10, 4), roomIn(12, 0, 10, 4)], [2, 1, 0, 0]);
  assert.deepEqual([atOnceMax(10_000), atOnceMax(1)], [5_000, 1]);
});

test("bundles keep the order, and are neither longer nor larger than told, but for what is larger alone", () => {
  assert.deepEqual(bundled([], 2, 10), []);
  assert.deepEqual(bundled(["1", "2", "3"], 2, 10), [["1", "2"], ["3"]]);
  assert.deepEqual(bundled(["1234", "12345678901", "1", "2"], 9, 10), [["1234"], ["12345678901"], ["1", "2"]]);
});

const patience = { silentMs: 100, timesMax: 5 };

test("messages are lost when their coordinator has been silent for long and all queues were empty since", () => {
  const sent = { sentAt: 100, times: 4, activeAt: 200, heardSince: 0 };
  assert.deepEqual([areLost(sent, 201, 299, patience), areLost(sent, 201, 300, patience)], [false, true]);
  assert.equal(areLost(sent, 200, 300, patience), false, "they may have been waiting when it spoke");
  assert.equal(areLost({ ...sent, sentAt: 201 }, 201, 400, patience), false, "they may be waiting still");
});

test("silence proves nothing before somebody has listened for as long as a consumer owes two signs of life", () => {
  const sent = { sentAt: 0, times: 0, activeAt: 0, heardSince: 1_000_000 };
  const judged = (now: number, silentMs: number) => areLost(sent, 1_000_001, now, { ...patience, silentMs });
  assert.deepEqual([judged(1_119_999, 600_000), judged(1_120_000, 600_000)], [false, true]);
  assert.deepEqual([judged(1_059_999, 60_000), judged(1_060_000, 60_000)], [false, true]);
  assert.equal(areLost(sent, 1_000_000, 2_000_000, patience), false, "they may have been waiting when it began");
});

test("messages that were told again as often as that is done soon, are told again once an hour", () => {
  const sent = { sentAt: 1_000, times: 5, activeAt: 0, heardSince: 0 };
  const judged = (now: number) => areLost(sent, 1_001, now, patience);
  assert.deepEqual([judged(3_600_999), judged(3_601_000)], [false, true]);
});
