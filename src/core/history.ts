// The fold of a task's history, and what is wrong with it. `leadhand verify` folds every history again and compares.

import type { EventType, TaskEvent } from "./task-event.ts";
import { openStates, type TaskState } from "./task-row.ts";

/** What history says about a task: everything a row must agree with. */
export interface Folded {
  readonly state: TaskState;
  readonly version: number;
  readonly attempt: number;
  readonly failures: number;
  readonly losses: number;
  readonly worker: string | null;
  readonly startedAt: number | null;
}

type Step = (before: Folded, event: TaskEvent) => Partial<Folded>;

const returned = { worker: null, startedAt: null } as const;

/** For each event: the states it may follow, the states it may lead to, and what it changes beside the state. */
const steps: Record<
  Exclude<EventType, "task.submitted">,
  { from: readonly TaskState[]; to: readonly TaskState[] | "same or closed"; step: Step }
> = {
  "task.claimed": {
    from: ["pending"],
    to: ["claimed"],
    step: (f, e) => ({ attempt: f.attempt + 1, worker: e.worker }),
  },
  "task.assigned": {
    from: ["pending"],
    to: ["running"],
    step: (f, e) => ({ attempt: f.attempt + 1, worker: e.worker, startedAt: e.at }),
  },
  "task.started": { from: ["claimed"], to: ["running"], step: (_, e) => ({ startedAt: e.at }) },
  "task.completed": { from: ["running"], to: ["completed"], step: () => ({}) },
  "task.failed": { from: ["claimed", "running"], to: ["failed"], step: (f) => ({ failures: f.failures + 1 }) },
  "task.retried": {
    from: ["claimed", "running"],
    to: ["pending"],
    step: (f) => ({ ...returned, failures: f.failures + 1 }),
  },
  "task.released": { from: ["claimed", "running"], to: ["pending"], step: () => returned },
  "task.lost": {
    from: ["claimed", "running"],
    to: ["pending", "failed"],
    step: (f, e) => ({ ...(e.state === "pending" ? returned : {}), losses: f.losses + 1 }),
  },
  "task.timed_out": { from: ["claimed", "running"], to: ["failed"], step: () => ({}) },
  "task.deferred": { from: ["running"], to: ["running", "completed", "failed"], step: () => ({ worker: null }) },
  "task.counted": { from: openStates, to: "same or closed", step: () => ({}) },
  "task.cancelled": { from: openStates, to: ["cancelled"], step: () => ({}) },
  "task.progressed": { from: ["running"], to: ["running"], step: () => ({}) },
  "task.republished": { from: ["pending"], to: ["pending"], step: () => ({}) },
};

export type Fold = { readonly folded: Folded } | { readonly fault: string };

/** Events in order of version. */
export function foldHistory(events: readonly TaskEvent[]): Fold {
  const [first, ...rest] = events;
  if (first === undefined) return { fault: "has no history" };
  if (first.type !== "task.submitted" || first.version !== 1 || first.state !== "pending") {
    return { fault: `begins with ${first.type} at version ${first.version}` };
  }
  let folded: Folded = {
    state: "pending",
    version: 1,
    attempt: 0,
    failures: 0,
    losses: 0,
    worker: null,
    startedAt: null,
  };
  for (const event of rest) {
    const next = foldOne(folded, event);
    if ("fault" in next) return next;
    folded = next.folded;
  }
  return { folded };
}

function foldOne(before: Folded, event: TaskEvent): Fold {
  if (event.type === "task.submitted") return { fault: `was submitted again at version ${event.version}` };
  const rule = steps[event.type];
  if (event.version !== before.version + 1) {
    return { fault: `goes from version ${before.version} to ${event.version}` };
  }
  const leadsTo = rule.to === "same or closed" ? [before.state, "completed", "failed"] : rule.to;
  if (!rule.from.includes(before.state) || !leadsTo.includes(event.state)) {
    return { fault: `went from ${before.state} to ${event.state} by ${event.type} at version ${event.version}` };
  }
  const folded = { ...before, ...rule.step(before, event), state: event.state, version: event.version };
  if (folded.attempt !== event.attempt) {
    return { fault: `version ${event.version} speaks of attempt ${event.attempt}, not ${folded.attempt}` };
  }
  return { folded };
}

/** The first thing in which the row differs from its history, in words; null when they agree. */
export function historyFault(events: readonly TaskEvent[], row: Folded): string | null {
  const fold = foldHistory(events);
  if ("fault" in fold) return fold.fault;
  const keys = Object.keys(fold.folded) as (keyof Folded)[];
  const wrong = keys.find((key) => fold.folded[key] !== row[key]);
  if (wrong === undefined) return null;
  return `row says ${wrong} ${row[wrong]}, history says ${fold.folded[wrong]}`;
}
