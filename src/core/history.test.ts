import assert from "node:assert/strict";
import { test } from "node:test";
import { aRow, taskId, workerId } from "../testing/builders.ts";
import { worldStart } from "../testing/manual-clock.ts";
import { foldHistory, historyFault } from "./history.ts";
import type { Move } from "./task.ts";
import { transition } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { submittedEvent, type TaskRow } from "./task-row.ts";

/** A row and its history, by moves from the submission on. */
function lived(...moves: readonly Move[]): { row: TaskRow; events: TaskEvent[] } {
  let row = aRow();
  const events = [submittedEvent(row)];
  for (const [index, move] of moves.entries()) {
    const around = { now: worldStart + index, policy: { retry: { maxAttempts: 5 } }, profile: null, jitter: 0 };
    const { next, event } = transition(row, move, around);
    row = next;
    events.push(event);
  }
  return { row, events };
}

const claim: Move = { type: "claim", worker: workerId(1) };
const start: Move = { type: "start" };
const complete: Move = { type: "complete", result: null };
const release: Move = { type: "release", reason: "drain" };

test("the history of a whole life folds into its row", () => {
  const { row, events } = lived(claim, start, release, claim, start, complete);
  assert.equal(historyFault(events, row), null);
  const folded = foldHistory(events);
  assert("folded" in folded);
  assert.deepEqual([folded.folded.state, folded.folded.version, folded.folded.attempt], ["completed", 7, 2]);
});

test("a row that says something else than its history is named with both", () => {
  const { row, events } = lived(claim, start);
  const faults: [Partial<TaskRow>, string][] = [
    [{ state: "claimed" }, "row says state claimed, history says running"],
    [{ version: 9 }, "row says version 9, history says 3"],
    [{ attempt: 2 }, "row says attempt 2, history says 1"],
    [{ failures: 1 }, "row says failures 1, history says 0"],
    [{ losses: 1 }, "row says losses 1, history says 0"],
    [{ worker: null }, `row says worker null, history says ${workerId(1)}`],
    [{ startedAt: 5 }, `row says startedAt 5, history says ${worldStart + 1}`],
  ];
  for (const [wrong, fault] of faults) assert.equal(historyFault(events, { ...row, ...wrong }), fault);
});

test("a history without a beginning, or with two, is no history", () => {
  const { row, events } = lived(claim);
  assert.equal(historyFault([], row), "has no history");
  assert.equal(historyFault(events.slice(1), row), "begins with task.claimed at version 2");
  const again = { ...(events[0] as TaskEvent), version: 3 };
  assert.equal(historyFault([...events, again], row), "was submitted again at version 3");
});

test("a history with a gap, a repetition or a wrong order is found out", () => {
  const { row, events } = lived(claim, start, complete);
  const [first, second, third, fourth] = events as [TaskEvent, TaskEvent, TaskEvent, TaskEvent];
  assert.equal(historyFault([first, second, fourth], row), "goes from version 2 to 4");
  assert.equal(historyFault([first, second, second, third, fourth], row), "goes from version 2 to 2");
  assert.equal(historyFault([first, third, second, fourth], row), "goes from version 1 to 3");
});

test("a move that the machine does not know is found out", () => {
  const { row, events } = lived(claim, start);
  const [first, second] = events as [TaskEvent, TaskEvent];
  const jump: TaskEvent = { ...second, type: "task.completed", state: "completed" };
  assert.equal(historyFault([first, jump], row), "went from pending to completed by task.completed at version 2");
  const stray: TaskEvent = { ...second, state: "running" };
  assert.equal(historyFault([first, stray], row), "went from pending to running by task.claimed at version 2");
  const final = lived(claim, start, complete);
  const late: TaskEvent = { ...(final.events[3] as TaskEvent), version: 5, type: "task.cancelled", state: "cancelled" };
  assert.match(historyFault([...final.events, late], final.row) as string, /^went from completed to cancelled/);
});

test("an event that speaks of another attempt is found out", () => {
  const { row, events } = lived(claim, start);
  const [first, second, third] = events as [TaskEvent, TaskEvent, TaskEvent];
  const fault = historyFault([first, { ...second, attempt: 7 }, third], row);
  assert.equal(fault, "version 2 speaks of attempt 7, not 1");
});

test("every kind of move folds: deferred, counted, lost, retried, progressed, timed out", () => {
  const error = { message: "no", code: null, details: null };
  const lives: Move[][] = [
    [claim, start, { type: "defer", total: 2 }, { type: "count", done: 1, failed: 1 }],
    [{ type: "count", done: 1, failed: 0 }, claim, start, { type: "defer", total: 1 }],
    [claim, { type: "expire", reason: "session" }, { type: "assign", worker: workerId(2) }, complete],
    [claim, { type: "fail", error }, { type: "cancel", reason: null }],
    [claim, start, { type: "progress", progress: { current: 1, total: null, message: null } }],
    [claim, { type: "timeout", error }],
  ];
  for (const moves of lives) {
    const { row, events } = lived(...moves);
    assert.equal(historyFault(events, row), null);
    assert.equal(row.id, taskId(1));
  }
});

test("a task that is told of again waits as before, and can only be told of while it waits", () => {
  const { row, events } = lived({ type: "republish" }, claim, release, { type: "republish" });
  assert.equal(historyFault(events, row), null);
  assert.deepEqual([row.state, row.version, row.attempt], ["pending", 5, 1]);
  assert.throws(() => lived(claim, { type: "republish" }), /it cannot republish/);
});
