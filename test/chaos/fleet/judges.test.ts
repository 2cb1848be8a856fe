// Judges who have never found anything have not shown that they can.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventType, TaskEvent } from "../../../src/core/task-event.ts";
import type { TaskState } from "../../../src/core/task-row.ts";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import type { CrewMember } from "./crew.ts";
import type { FaultRecord } from "./faults.ts";
import { doubledFaults, livingLostFaults, orderFaults, outcomeFaults } from "./judges.ts";

type Line = readonly [type: EventType, state: TaskState, at: number, worker?: string, data?: object];

function history(id: string, lines: readonly Line[], payload: object = {}): HistoryRecord {
  const events = lines.map(
    ([type, state, at, worker = null, data], index): TaskEvent => ({
      ...{ task: id, version: index + 1, at, type, state, attempt: 1, worker },
      data: data === undefined ? null : JSON.stringify(data),
    }),
  );
  const row = { state: events.at(-1)?.state };
  const task = { card: { id, lane: 1, priority: 0 }, row, payload: JSON.stringify(payload) };
  return { task, events } as unknown as HistoryRecord;
}

function histories(...records: readonly HistoryRecord[]) {
  return new Map(records.map((record) => [record.task.card.id, record]));
}

const done = (id: string, givenAt: number) =>
  history(id, [
    ["task.submitted", "pending", 0],
    ["task.assigned", "running", givenAt, "w"],
    ["task.completed", "completed", givenAt + 1, "w"],
  ]);

test("a task without an end, with two, or with another than it was told is found", () => {
  const never = () => false;
  assert.deepEqual(outcomeFaults(histories(done("a", 1)), never), []);
  const open = history("a", [["task.submitted", "pending", 0]]);
  const twice = history("b", [
    ["task.completed", "completed", 1],
    ["task.failed", "failed", 2],
  ]);
  const failed = history("c", [["task.failed", "failed", 1]]);
  assert.equal(outcomeFaults(histories(open, twice, failed), never).length, 3);
  assert.deepEqual(
    outcomeFaults(histories(history("d", [["task.failed", "failed", 1]], { fail: "always" })), never),
    [],
  );
  const parent = history("e", [["task.counted", "failed", 1]], { children: 2 });
  assert.equal(outcomeFaults(histories(parent), never).length, 1, "none of its children is told to fail");
  assert.deepEqual(
    outcomeFaults(histories(failed), () => true),
    [],
  );
  assert.equal(outcomeFaults(histories(open, twice), () => true).length, 2, "nothing excuses those");
});

test("a worker that is taken for lost half a window after an answered beat, or later, was silent; before, it was not", () => {
  const lost = histories(history("a", [["task.lost", "pending", 10_000, "w"]]));
  assert.deepEqual(livingLostFaults(lost, signs(1_000, 7_500, 11_000), 5_000), []);
  assert.equal(livingLostFaults(lost, signs(1_000, 7_501), 5_000).length, 1);
  const answeredLater = new Map([["w", [{ at: 9_900, answeredAt: 10_001 }]]]);
  assert.deepEqual(livingLostFaults(lost, answeredLater, 5_000), [], "it came back, and was too late");
});

function signs(...times: readonly number[]) {
  return new Map([["w", times.map((at) => ({ at, answeredAt: at + 1 }))]]);
}

test("an attempt that two have begun is found", () => {
  const [one, two] = ["work", "rest"].map((door) => ({ orders: { door }, worker: () => door })) as unknown as [
    CrewMember,
    CrewMember,
  ];
  assert.deepEqual(doubledFaults(new Map([["a 1", new Set([one])]])), []);
  assert.equal(doubledFaults(new Map([["a 1", new Set([one, two])]])).length, 1);
});

test("a task that was passed over is found, unless a fault was in between, and then too if it took too long", () => {
  const accepted = ["a", "b", "c"].map((id) => ({ what: "accepted", id, payload: "{}", at: 0 }) as const);
  const judge = (givenAt: number, faults: readonly FaultRecord[] = [], lastAt = 2_500) =>
    orderFaults(histories(done("a", givenAt), done("b", 2_000), done("c", lastAt)), {
      ...{ accepted, faults, slackMs: 1_000, passedOverMaxMs: 15_000 },
    });
  const fault = (at: number): FaultRecord => ({ name: "kill a server", about: "one", from: at, to: at });
  assert.deepEqual(judge(1_000), []);
  assert.deepEqual(judge(2_900), []);
  assert.equal(judge(4_000).length, 1);
  assert.deepEqual(judge(4_000, [fault(3_000)]), []);
  assert.equal(judge(4_000, [fault(500)]).length, 1);
  assert.deepEqual(judge(30_000, [fault(3_000)]), []);
  assert.equal(judge(30_000, [fault(20_000)], 17_001).length, 1);
});
