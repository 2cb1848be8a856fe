// The life of one task of the board, decided by the rules that servers decide by: every row, every event and every
// outcome comes out of `transition`.

import { defaultProfiles } from "../../../src/core/liveness.ts";
import type { Policy } from "../../../src/core/policy.ts";
import { type Move, transition } from "../../../src/core/task.ts";
import type { TaskEvent } from "../../../src/core/task-event.ts";
import { isFinal, newTaskRow, type Outcome, type TaskRow } from "../../../src/core/task-row.ts";
import type { NewTask, TaskWrite } from "../../../src/ports/records.ts";
import { boardFailure } from "./board-failures.ts";
import type { BoardJob } from "./board-jobs.ts";
import { boardResult } from "./board-payload.ts";
import type { Chance } from "./chance.ts";

export type Fate =
  | { readonly kind: "completed" | "failed" | "cancelled" }
  | { readonly kind: "ready" | "delayed" | "claimed" | "running" };

/** Attempts wait and run for so long at most, so that everything has ended a while before the board is done. */
const waitMsMax = 20_000;
const runMsMax = 60_000;
/** What the longest life takes: three attempts, and the waits between them. */
export const lifeMsMax = 3 * (waitMsMax + runMsMax) + 20_000;

export interface Living {
  readonly task: NewTask;
  readonly job: BoardJob;
  readonly path: string;
  readonly fate: Fate;
  /** A worker that has the job. */
  worker(): string;
}

/** What becomes of a task after its submission; null where it waits untouched. */
export function boardLife({ task, job, path, fate, worker }: Living, by: Chance): TaskWrite | null {
  const life = lifeOf(task, job, by);
  const wait = (mean: number, most = waitMsMax): void => life.pass(by.duration(mean, most));
  const take = (): void => {
    wait(3_000);
    if (by.percent(70)) {
      life.move({ type: "assign", worker: worker() });
      return;
    }
    life.move({ type: "claim", worker: worker() });
    wait(30, 500);
    life.move({ type: "start" });
  };
  const run = (): void => wait(4_000, runMsMax);

  switch (fate.kind) {
    case "ready":
    case "delayed":
      return null;
    case "claimed":
      wait(3_000);
      life.move({ type: "claim", worker: worker() });
      break;
    case "running":
      take();
      if (by.percent(60)) {
        run();
        life.move({ type: "progress", progress: { current: by.below(100), total: 100, message: "page by page" } });
      }
      break;
    case "cancelled":
      if (by.percent(50)) take();
      run();
      life.move({ type: "cancel", reason: by.pick(["no longer needed", "wrong input", null]) });
      break;
    case "failed":
      while (!life.isOver()) {
        take();
        run();
        life.move({ type: "fail", error: boardFailure(by, job, path) });
      }
      break;
    case "completed":
      if (by.percent(1)) {
        take();
        run();
        life.move({ type: "expire", reason: "session" });
      }
      take();
      run();
      if (task.card.policy.retry !== undefined && by.percent(6)) {
        life.move({ type: "fail", error: boardFailure(by, job, path) });
        take();
        run();
      }
      life.move({ type: "complete", result: boardResult(by, path) });
  }
  return life.write();
}

export interface Life {
  pass(ms: number): void;
  move(move: Move): void;
  isOver(): boolean;
  write(): TaskWrite;
}

/** Time does not pass over a task's wait for its next attempt. */
export function lifeOf({ card, runAt }: NewTask, { name }: BoardJob, by: Chance): Life {
  const policy: Policy = card.policy;
  const events: TaskEvent[] = [];
  let row: TaskRow = newTaskRow(card.id, card.createdAt, runAt);
  let outcome: Outcome | null = null;
  let now = card.createdAt;
  return {
    pass(ms) {
      now = Math.max(now, row.runAt ?? 0) + ms;
    },
    move(move) {
      const jitter = by.next();
      const around = { now, policy, profile: defaultProfiles.work, jitter, job: name, hasOpenChildren: () => true };
      const after = transition(row, move, around);
      row = after.next;
      outcome = after.outcome;
      events.push(after.event);
    },
    isOver: () => isFinal(row.state),
    write: () => ({ expected: 1, next: row, outcome, events }),
  };
}
