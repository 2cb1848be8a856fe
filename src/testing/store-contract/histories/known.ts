// What the player of a random history knows: the things it made, and copies of the rows it was handed, old ones too.

import { profileDueMs } from "../../../core/deadline.ts";
import type { LaneKey } from "../../../core/lane.ts";
import { defaultProfiles, profileNames } from "../../../core/liveness.ts";
import { legalMoves, transition } from "../../../core/task.ts";
import type { TaskRow } from "../../../core/task-row.ts";
import type { OpenTask, TaskWrite } from "../../../ports/records.ts";
import { aLaneKey } from "../../builders.ts";
import { worldStart } from "../../manual-clock.ts";
import { moveOf, oneOf, pick } from "../../random-moves.ts";
import type { WritePlan } from "./operations.ts";

export interface Known {
  now: number;
  /** How many tasks and outbox items were ever made, so that ids are new. */
  made: number;
  readonly ids: string[];
  /** By task, oldest first. */
  readonly copies: Map<string, OpenTask[]>;
  readonly outbox: string[];
  /** Tasks with lines beside their history. */
  readonly written: Set<string>;
  /** The job's revision as last written. */
  readonly revisions: Map<string, number>;
}

export function nothingKnown(): Known {
  return {
    now: worldStart,
    made: 0,
    ids: [],
    copies: new Map(),
    outbox: [],
    written: new Set(),
    revisions: new Map(jobNames.map((name) => [name, 1])),
  };
}

export const jobNames = ["@global:tests:A", "@global:tests:b", "lab:tests:É"] as const;
export const unknownJob = "lab:tests:nobody's";

/** The first six are there from the beginning. */
export const laneKeys: readonly LaneKey[] = [
  ...jobNames.map((job) => aLaneKey({ job })),
  ...jobNames.map((job) => aLaneKey({ job, queue: "other", labels: { gpu: "a", zone: "b" }, checksum: "sha256:cc" })),
  aLaneKey({ job: jobNames[0], queue: "late" }),
  aLaneKey({ job: jobNames[1], queue: "late", labels: { x: "" } }),
];

/** A copy of the task that the player was handed; null when there is none, or none that old. */
export function copyOf(state: Known, plan: WritePlan): OpenTask | null {
  const isHeld = (id: string) => (state.copies.get(id)?.at(-1)?.row.worker ?? null) !== null;
  const id = pick(plan.held ? state.ids.filter(isHeld) : state.ids, plan.task);
  return (id === undefined ? undefined : state.copies.get(id)?.at(-1 - plan.copy)) ?? null;
}

/** What core makes of the moves; without moves, a change of deadlines. Null when the copy can move no more. */
export function writeOf(task: OpenTask, moves: readonly number[], detail: number, now: number): TaskWrite | null {
  if (moves.length === 0) return renewalOf(task.row, detail, now);
  let write: TaskWrite = { expected: task.row.version, next: task.row, outcome: null, events: [] };
  const name = pick([null, ...profileNames], detail);
  const profile = name == null ? null : defaultProfiles[name];
  for (const n of moves) {
    const type = pick(legalMoves(write.next), n);
    if (type === undefined) break;
    const move = moveOf(type, n + detail);
    const around = { now, policy: task.card.policy, profile, jitter: (detail % 10) / 10 };
    const { next, event, outcome } = transition(write.next, move, around);
    write = { ...write, next, outcome, events: [...write.events, event] };
  }
  return write.events.length === 0 ? null : write;
}

/** Other deadlines, which a task has only while it is held or deferred. */
export function renewalOf(row: TaskRow, detail: number, now: number): TaskWrite | null {
  if (row.state === "pending") return null;
  const profile = defaultProfiles[oneOf(profileNames, detail)];
  const dueMs = profileDueMs(profile, detail % 2 === 0);
  const dueAt = dueMs === null ? null : now + dueMs;
  const next = { ...row, dueAt, leasedUntil: detail % 3 === 0 ? null : now + detail };
  return { expected: row.version, next, outcome: null, events: [] };
}

export function learn(state: Known, task: OpenTask): void {
  const copies = state.copies.get(task.row.id);
  const copy = { card: task.card, row: task.row };
  if (copies === undefined) state.copies.set(task.row.id, [copy]);
  else copies.push(copy);
}
