// Random walks through the machine: what must hold after every step, whatever the steps were.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { taskId } from "../testing/builders.ts";
import { worldStart } from "../testing/manual-clock.ts";
import { moveOf, oneOf, policies } from "../testing/random-moves.ts";
import { historyFault } from "./history.ts";
import { defaultProfiles, profileNames } from "./liveness.ts";
import type { Policy } from "./policy.ts";
import { legalMoves, type MoveType, transition } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { isFinal, newTaskRow, type Outcome, submittedEvent, type TaskRow } from "./task-row.ts";

const steps = fc.noBias(
  fc.array(fc.record({ pick: fc.nat(), detail: fc.nat(99), passMs: fc.nat(200) }), { maxLength: 40, size: "max" }),
);

const everyMove: readonly MoveType[] = [
  ...(["claim", "assign", "start", "complete", "fail", "release", "expire"] as const),
  ...(["defer", "count", "timeout", "cancel", "progress", "republish"] as const),
];

interface Walk {
  readonly rows: TaskRow[];
  readonly events: TaskEvent[];
  outcome: Outcome | null;
}

/** Goes where chance leads, over legal moves alone, and looks around after every step. */
function walk(plan: readonly { pick: number; detail: number; passMs: number }[], policy: Policy): Walk {
  let now = worldStart;
  const first = newTaskRow(taskId(1), now, null);
  const walked: Walk = { rows: [first], events: [submittedEvent(first)], outcome: null };
  for (const { pick, detail, passMs } of plan) {
    const row = walked.rows.at(-1) as TaskRow;
    const legal = legalMoves(row);
    if (legal.length === 0) break;
    now += passMs;
    const profile = detail % 5 === 0 ? null : defaultProfiles[oneOf(profileNames, detail)];
    const move = moveOf(oneOf(legal, pick), detail);
    const { next, event, outcome } = transition(row, move, { now, policy, profile, jitter: (detail % 10) / 10 });
    walked.rows.push(next);
    walked.events.push(event);
    walked.outcome = outcome;
  }
  return walked;
}

const walks = fc.tuple(steps, fc.nat(policies.length - 1)).map(([plan, n]) => walk(plan, oneOf(policies, n)));

function always(sentence: string, holds: (walked: Walk) => void): void {
  test(sentence, () => fc.assert(fc.property(walks, holds), { numRuns: 2_000 }));
}

function eachStep(rows: readonly TaskRow[], look: (before: TaskRow, after: TaskRow) => void): void {
  rows.slice(1).forEach((after, index) => {
    look(rows[index] as TaskRow, after);
  });
}

always("every step is one version and one event more", ({ rows, events }) => {
  rows.forEach((row, index) => {
    assert.deepEqual([row.version, events[index]?.version], [index + 1, index + 1]);
    assert.equal(events[index]?.state, row.state);
  });
});

always("history folds into the row after every step", ({ rows, events }) => {
  rows.forEach((row, index) => {
    assert.equal(historyFault(events.slice(0, index + 1), row), null);
  });
});

always("the attempt rises with every taking and with nothing else", ({ rows, events }) => {
  eachStep(rows, (before, after) => {
    const type = events[after.version - 1]?.type;
    const taken = type === "task.claimed" || type === "task.assigned";
    assert.equal(after.attempt, before.attempt + (taken ? 1 : 0));
  });
});

always("an outcome comes with the final state, and nothing comes after it", ({ rows, outcome }) => {
  const last = rows.at(-1) as TaskRow;
  assert.equal(
    rows.slice(0, -1).some((row) => isFinal(row.state)),
    false,
  );
  assert.equal(outcome?.state ?? null, isFinal(last.state) ? last.state : null);
  if (!isFinal(last.state)) return;
  for (const type of everyMove) {
    const around = { now: worldStart + 1e6, policy: {}, profile: null, jitter: 0 };
    assert.throws(() => transition(last, moveOf(type, 1), around), /cannot/);
  }
});

always("a pending task is in nobody's hands and has no deadline", ({ rows }) => {
  for (const row of rows.filter(({ state }) => state === "pending")) {
    const { worker, claimedAt, startedAt, leasedUntil, dueAt, progress } = row;
    assert.deepEqual(
      [worker, claimedAt, startedAt, leasedUntil, dueAt, progress],
      [null, null, null, null, null, null],
    );
  }
});

always("a claimed task has a holder and has not started; a running one has started", ({ rows }) => {
  for (const row of rows) {
    if (row.state === "claimed") assert.deepEqual([row.worker !== null, row.startedAt], [true, null]);
    if (row.state !== "running") continue;
    assert.notEqual(row.startedAt, null);
    if (row.worker === null) assert.notEqual(row.children?.total ?? null, null, "it has deferred");
  }
});

always("failures and losses only grow, and a release costs neither", ({ rows, events }) => {
  eachStep(rows, (before, after) => {
    const type = events[after.version - 1]?.type;
    const failed = type === "task.failed" || type === "task.retried";
    assert.equal(after.failures - before.failures, failed ? 1 : 0);
    assert.equal(after.losses - before.losses, type === "task.lost" ? 1 : 0);
  });
});

always("a deadline is never later than the lease, and time never goes back", ({ rows }) => {
  eachStep(rows, (before, after) => assert(after.activeAt >= before.activeAt));
  for (const { leasedUntil, dueAt } of rows) {
    if (leasedUntil !== null) assert(dueAt !== null && dueAt <= leasedUntil);
  }
});

test("a move leaves the row it was made from untouched", () => {
  const frozen = fc.property(walks, fc.nat(), fc.nat(99), ({ rows }, pick, detail) => {
    const row = Object.freeze(rows.at(-1) as TaskRow);
    const legal = legalMoves(row);
    if (legal.length === 0) return;
    const around = { now: worldStart + 1e6, policy: {}, profile: null, jitter: 0 };
    const first = transition(row, moveOf(oneOf(legal, pick), detail), around);
    assert.deepStrictEqual(transition(row, moveOf(oneOf(legal, pick), detail), around), first, "it is a function");
  });
  fc.assert(frozen);
});
