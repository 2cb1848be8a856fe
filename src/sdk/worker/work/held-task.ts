// One task that was assigned to this worker.

import type { AssignedJob } from "../../../protocol/work/frames.ts";
import type { CheckedDeferral } from "../../deferral.ts";
import type { End } from "../settle.ts";
import { type AbortCause, stopWith } from "../task-aborted.ts";

export interface HeldTask {
  readonly job: AssignedJob;
  stage: "waiting" | "running" | "ended";
  /** Aborts its handler; null before it has one. */
  stop: AbortController | null;
  /** Why it is not to be told of any more, or was asked to end. */
  cause: AbortCause | null;
  /** What the server is told; null before its end. */
  outcome: End | null;
  /** What its handler leaves open, if it ends well. */
  deferral: CheckedDeferral | null;
  /** When the server was last told of it. */
  toldAt: number;
  /** Whether its end waits for the next heartbeat. */
  isToBeTold: boolean;
  /** Where it stands among those that run. */
  place: number;
}

export function heldTask(job: AssignedJob): HeldTask {
  return {
    ...{ job, stage: "waiting", stop: null, cause: null, outcome: null, deferral: null },
    ...{ toldAt: 0, isToBeTold: false, place: -1 },
  };
}

/** The first reason decides what is made of its end. */
export function abort(held: HeldTask, why: AbortCause): void {
  held.cause ??= why;
  if (held.stage === "running" && held.stop !== null) stopWith(held.stop, why);
}
