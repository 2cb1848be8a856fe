// One task in hand: started, run, told. Whatever happens to it from outside reaches the handler as an abort, and decides
// what is made of the handler's end.

import type { CheckedDeferral } from "../deferral.ts";
import type { JobDefinition } from "../job.ts";
import { ServerProblem } from "../problem.ts";
import { reportBody, reports, type SendReport } from "../reports.ts";
import { type Outcome, runHandler } from "../run-handler.ts";
import type { SteadyApi } from "../steady-api.ts";
import type { TaskPort } from "../task-voice.ts";
import { type ClaimedTask, proofOf } from "./claimed-task.ts";
import { type End, isIn, type SendEnd, settle } from "./settle.ts";
import { type AbortCause, stopWith, TaskAborted } from "./task-aborted.ts";

/** What became of a task, as `Worker` tells it: what the server was told of its end, unless that was not told or refused. */
export type Ending =
  | End["type"]
  /** Cancelled or lost: the handler's end was not told. */
  | "dropped"
  /** The server has another opinion of the task. */
  | "refused";

export interface Ended {
  readonly ending: Ending;
  readonly error?: string;
  /** Its handler did end when it was asked to, but not well, and others have it now. */
  readonly isCutOff?: boolean;
}

export interface Attempt {
  readonly task: ClaimedTask;
  abort(why: AbortCause): void;
  /** Where it goes back at the worker's end in another way than a task. */
  readonly giveBack?: (signal: AbortSignal) => Promise<unknown>;
  /** The handler's end is known; it may not have been told yet. */
  readonly handled: Promise<void>;
  isHandled(): boolean;
  readonly done: Promise<Ended>;
}

export interface AttemptParts {
  readonly api: SteadyApi;
  readonly sendEnd: SendEnd;
  /** Where the server does not take progress of a task that was only claimed: says first that it runs. */
  readonly begin?: (task: ClaimedTask) => Promise<unknown>;
  /** Whether it is still to be run, now that it is this worker's. */
  readonly mayRun?: (task: ClaimedTask) => Promise<boolean>;
  /** Throws where messages of a deferral may not be left in this queue. */
  readonly checkQueue?: (queue: string) => void;
  /** Where the task has a lease of its own: keeps it, until what is answered is called. */
  readonly keep?: (task: ClaimedTask, onLost: () => void) => () => void;
  readonly job: JobDefinition | undefined;
  /** Ends all talk with the server. */
  readonly signal: AbortSignal;
}

export function attempt(parts: AttemptParts, task: ClaimedTask): Attempt {
  const { api, job, signal } = parts;
  const stopped = new AbortController();
  let isHandled = false;
  const { promise: whenHandled, resolve } = Promise.withResolvers<void>();
  const handled = (): void => {
    isHandled = true;
    resolve();
  };

  function abort(why: AbortCause): void {
    // How it ended before it was given up is told all the same: the server has the last word.
    if (!isHandled || !stopped.signal.aborted) stopWith(stopped, why);
  }

  const report: SendReport = async (said) => {
    const body = { ...reportBody(said), ...proofOf(task) };
    try {
      if (said.kind === "progress") await parts.begin?.(task);
      await api.request("POST", `/tasks/${task.id}/${said.kind}`, { body, signal });
      return true;
    } catch (error) {
      const isLost = error instanceof ServerProblem && (error.status === 409 || error.status === 404);
      if (isLost) abort("lost");
      return !isLost;
    }
  };

  async function run(): Promise<Ended> {
    if (!(await start(api, task, signal))) return { ending: "dropped" };
    if (parts.mayRun !== undefined && !(await parts.mayRun(task))) return { ending: "dropped" };
    const words = reports(report);
    let deferral: CheckedDeferral | null = null;
    const defer = (given: CheckedDeferral): void => {
      for (const { queue } of given.messages) parts.checkQueue?.(queue);
      deferral = given;
    };
    const port = { ...words, defer };
    const outcome = await outcomeOf(job, task, port, stopped.signal);
    handled();
    await words.flush();
    const told = endOf(toldAfter(outcome, causeOf(stopped.signal)), deferral);
    if (told === null) return { ending: "dropped" };
    const refusal = await settle(parts, task, told, signal);
    if (refusal !== null) return { ending: "refused", error: refusal.message };
    if (told.type === "failed") return { ending: "failed", error: told.message };
    return { ending: told.type, isCutOff: told === cutOff };
  }

  const letLeaseGo = parts.keep?.(task, () => abort("lost"));
  const done = run().finally(() => {
    handled();
    letLeaseGo?.();
  });
  return { task, abort, handled: whenHandled, isHandled: () => isHandled, done };
}

/** A server that is silent may keep a task from its handler until nobody has time for it any more. */
async function outcomeOf(
  job: JobDefinition | undefined,
  task: ClaimedTask,
  port: TaskPort,
  stop: AbortSignal,
): Promise<Outcome> {
  if (stop.aborted) return cutOff;
  return job === undefined ? unknownJob() : runHandler(job, factsOf(task), port, stop);
}

/** It is no failure of the task. */
const cutOff: Outcome = { type: "released", delayMs: 0, checkpoint: null, reason: "shutdown" };

function causeOf({ reason }: AbortSignal): AbortCause | null {
  return reason instanceof TaskAborted ? reason.why : null;
}

/** False where the task is not ours to run any more. */
async function start(api: SteadyApi, task: ClaimedTask, signal: AbortSignal): Promise<boolean> {
  // A server that does not know of `start` hands it out as claimed.
  if (task.status === "running") return true;
  try {
    const body = { status: "running", ...proofOf(task) };
    await api.request("PATCH", `/tasks/${task.id}`, { body, signal });
    return true;
  } catch (error) {
    if (!(error instanceof ServerProblem) || error.status === 401) throw error;
    return error.status === 409 && (await isIn("running", api, task, signal));
  }
}

/** What to tell the server of a handler's end, after what happened meanwhile. */
export function toldAfter(outcome: Outcome, cause: AbortCause | null): Outcome | null {
  if (cause === "cancelled" || cause === "lost") return null;
  if (cause === "draining" && outcome.type === "failed") return cutOff;
  return outcome;
}

/** A handler that ended well may have left the task to others; to none of them, it is done. */
export function endOf<T extends Outcome | null>(told: T, deferral: CheckedDeferral | null): T | End {
  return told?.type === "completed" && deferral !== null && deferral.total > 0
    ? { type: "deferred", ...deferral }
    : told;
}

/** Another program of the same owner may have linked this worker to a job of its own. */
export function unknownJob(): Outcome {
  return { type: "released", delayMs: 10_000, checkpoint: null };
}

function factsOf({ id, job_name: job, room_id: room, attempt, payload, checkpoint }: ClaimedTask) {
  return { id, job, room, attempt, payload, checkpoint };
}
