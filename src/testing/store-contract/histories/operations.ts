// What may happen in a random history. An operation holds numbers only; what they stand for is looked up when it is
// played, in what is known by then. So a history stays meaningful when operations before it are taken away, and a
// failing one shrinks to the few that matter.

import fc from "fast-check";
import type { Find } from "../../../ports/store-finds.ts";
import type { Reads } from "../../../ports/store-reads.ts";

export interface CallPlan {
  readonly tasks: readonly TaskPlan[];
  /** How far off the caller's idea of its job is. */
  readonly behind: number;
  readonly key: number | null;
  readonly outbox: number;
}

export interface TaskPlan {
  readonly lane: number;
  readonly priority: number;
  readonly policy: number;
  readonly text: number;
  readonly parent: number | null;
  readonly delayMs: number | null;
}

export interface WritePlan {
  readonly task: number;
  /** Chosen among the tasks in someone's hands only. */
  readonly held: boolean;
  /** Which of the copies handed out: 0 is the latest. */
  readonly copy: number;
  readonly moves: readonly number[];
  readonly detail: number;
}

export interface DemandPlan {
  readonly lanes: readonly number[];
  readonly limited: boolean;
  readonly takers: readonly {
    readonly worker: number;
    readonly limit: number;
    readonly assign: boolean;
    readonly dueMs: number | null;
    readonly leaseMs: number | null;
  }[];
}

export interface AmendPlan {
  readonly jobs: readonly number[];
  readonly workers: readonly number[];
  readonly heldBy: readonly number[];
  readonly parents: readonly number[];
  readonly tasks: readonly number[];
  readonly toTasks: "nothing" | "cancel" | "expire" | "any" | "renew";
  readonly toWorkers: "nothing" | "register" | "tell" | "fence" | "remove";
  readonly toJobs: "nothing" | "change" | "delete";
  readonly lanes: readonly number[];
  readonly limits: readonly { readonly lane: number; readonly paused: boolean; readonly maxRunning: number | null }[];
  readonly beside: number;
  readonly detail: number;
  readonly throws: boolean;
}

export interface MessagePlan {
  readonly task: number;
  /** Which of the versions handed out: 0 is the latest. */
  readonly copy: number;
  /** Of a version that is still to come. */
  readonly ahead: boolean;
}

export type Operation =
  | { readonly do: "submit"; readonly calls: readonly CallPlan[] }
  | { readonly do: "exchange"; readonly writes: readonly WritePlan[]; readonly demands: readonly DemandPlan[] }
  | { readonly do: "amend"; readonly plan: AmendPlan }
  | { readonly do: "beat"; readonly workers: readonly number[]; readonly ago: number }
  | { readonly do: "promote"; readonly limit: number }
  | { readonly do: "prune"; readonly what: "tasks" | "finished" | "beside"; readonly ago: number; readonly n: number }
  | { readonly do: "append"; readonly n: number; readonly task: number; readonly times: number }
  | { readonly do: "confirm"; readonly messages: readonly MessagePlan[] }
  | { readonly do: "pulse"; readonly node: number; readonly staying: boolean }
  | { readonly do: "find"; readonly kind: keyof Find; readonly n: number; readonly limit: number }
  | { readonly do: "read"; readonly kind: keyof Reads; readonly n: number; readonly limit: number }
  | { readonly do: "wait"; readonly ms: number };

// Plain objects, so that a failing history is printed as it would be written.
const record = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record<T>(members, { noNullPrototype: true });

const lane = fc.nat(5);
const worker = fc.nat(4);
const task = fc.nat(59);
const duration = fc.constantFrom(0, 1, 10, 40, 200);
const some = <T>(arbitrary: fc.Arbitrary<T>, maxLength: number) =>
  fc.array(arbitrary, { maxLength, size: "max" as const });

function times<const T>(value: T, count: number): T[] {
  return Array.from({ length: count }, () => value);
}

/** Null `nulls` times as often as not. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, nulls: number) =>
  fc.oneof({ weight: nulls, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const taskPlan: fc.Arbitrary<TaskPlan> = record({
  lane,
  priority: fc.constantFrom(0, 0, 0, 5, -5, 1_000_000),
  policy: fc.nat(5),
  text: fc.nat(5),
  parent: rarely(task, 8),
  delayMs: rarely(duration, 3),
});

const callPlan: fc.Arbitrary<CallPlan> = record({
  tasks: fc.array(taskPlan, { minLength: 1, maxLength: 8, size: "max" }),
  behind: fc.constantFrom(...times(0, 18), 1, -1),
  key: rarely(fc.nat(3), 3),
  outbox: fc.constantFrom(0, 0, 1, 2),
});

const writePlan: fc.Arbitrary<WritePlan> = record({
  task,
  held: fc.constantFrom(true, true, true, false),
  copy: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
  moves: fc.oneof({ weight: 6, arbitrary: fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }) }, fc.constant([])),
  detail: fc.nat(99),
});

const demandPlan: fc.Arbitrary<DemandPlan> = record({
  lanes: fc.uniqueArray(lane, { maxLength: 6, size: "max" }),
  limited: fc.boolean(),
  takers: some(
    record({
      worker,
      limit: fc.constantFrom(0, 1, 2, 4, 8),
      assign: fc.boolean(),
      dueMs: rarely(duration, 1),
      leaseMs: rarely(duration, 2),
    }),
    3,
  ),
});

const amendPlan: fc.Arbitrary<AmendPlan> = record({
  jobs: fc.uniqueArray(fc.nat(3), { maxLength: 3 }),
  workers: fc.uniqueArray(worker, { maxLength: 3 }),
  heldBy: fc.uniqueArray(worker, { maxLength: 2 }),
  parents: fc.uniqueArray(task, { maxLength: 2 }),
  tasks: fc.uniqueArray(task, { maxLength: 6 }),
  toTasks: fc.constantFrom("nothing", "nothing", "cancel", "expire", "any", "any", "renew"),
  toWorkers: fc.constantFrom("nothing", ...times("register", 4), "tell", "fence", "remove"),
  toJobs: fc.constantFrom(...times("nothing", 6), ...times("change", 3), "delete"),
  lanes: fc.uniqueArray(fc.nat(7), { maxLength: 1 }),
  limits: some(record({ lane, paused: fc.boolean(), maxRunning: rarely(fc.nat(5), 1) }), 1),
  beside: fc.nat(31),
  detail: fc.nat(99),
  throws: fc.constantFrom(...times(false, 9), true),
});

const messagePlan: fc.Arbitrary<MessagePlan> = record({
  task,
  copy: fc.constantFrom(0, 0, 0, 0, 1, 2),
  ahead: fc.constantFrom(...times(false, 9), true),
});

const finds: readonly (keyof Find)[] = [
  ...(["due", "lost", "untold", "offline", "removed", "forsaken", "held", "children", "orphans", "outbox"] as const),
  ...(["unpublished", "unpublished", "unheeded", "outboxKinds"] as const),
];
export const reads: readonly (keyof Reads)[] = [
  ...([
    "tasks",
    "taskList",
    "taskScan",
    "events",
    "logs",
    "workerEvents",
    "alerts",
    "catalog",
    "workers",
    "holdings",
    "workDone",
    "positions",
    "depths",
    "roomDepths",
  ] as const),
  ...(["key", "token", "tokens", "histories", "childActivity", "message", "toldInFront"] as const),
];

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: record({
      do: fc.constant("submit"),
      calls: fc.array(callPlan, { minLength: 1, maxLength: 3, size: "max" }),
    }),
  },
  {
    weight: 12,
    arbitrary: record({ do: fc.constant("exchange"), writes: some(writePlan, 6), demands: some(demandPlan, 3) }),
  },
  { weight: 7, arbitrary: record({ do: fc.constant("amend"), plan: amendPlan }) },
  { weight: 2, arbitrary: record({ do: fc.constant("beat"), workers: fc.uniqueArray(worker), ago: duration }) },
  { weight: 3, arbitrary: record({ do: fc.constant("promote"), limit: fc.constantFrom(1, 3, 100) }) },
  {
    weight: 1,
    arbitrary: record({
      do: fc.constant("prune"),
      what: fc.constantFrom("tasks", "finished", "beside"),
      ago: duration,
      n: fc.nat(5),
    }),
  },
  { weight: 3, arbitrary: record({ do: fc.constant("confirm"), messages: some(messagePlan, 8) }) },
  { weight: 1, arbitrary: record({ do: fc.constant("append"), n: fc.nat(9), task, times: fc.nat(6) }) },
  {
    weight: 1,
    arbitrary: record({ do: fc.constant("pulse"), node: fc.nat(2), staying: fc.constantFrom(true, true, false) }),
  },
  {
    weight: 3,
    arbitrary: record({ do: fc.constant("find"), kind: fc.constantFrom(...finds), n: fc.nat(), limit: fc.nat(9) }),
  },
  {
    weight: 4,
    arbitrary: record({ do: fc.constant("read"), kind: fc.constantFrom(...reads), n: fc.nat(), limit: fc.nat(9) }),
  },
  { weight: 4, arbitrary: record({ do: fc.constant("wait"), ms: duration }) },
);

// Small numbers mean nothing special here, so there is no bias towards them: it would only make dull histories.
export function histories(maxLength: number): fc.Arbitrary<readonly Operation[]> {
  return fc
    .noBias(fc.array(operation, { minLength: 1, maxLength, size: "max" }))
    .map((history) => Object.defineProperty(history, fc.toStringMethod, { value: () => linesOf(history) }));
}

/** One operation a line, as it would be written. */
function linesOf(history: readonly Operation[]): string {
  return history.map((one, index) => `\n    ${index}: ${JSON.stringify(one)}`).join("");
}
