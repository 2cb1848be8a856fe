// Why a task is not running: the first of these causes that holds, from the task outwards to its job, its queue, its
// target, and the workers that could do it. Where each worker has a reason of its own, the reason of those that are
// nearest to being able counts, and the others are among the facts.

import type { WorkerState } from "./liveness.ts";
import type { Pause } from "./pause.ts";
import type { TaskState } from "./task-row.ts";

/** What keeps a worker that has the job from this task; those that lack most come first. */
export const hindrances = [
  "offline",
  "checksum",
  "labels",
  "queue",
  "unreachable",
  "deaf",
  "draining",
  "paused",
  "full",
] as const;
export type Hindrance = (typeof hindrances)[number];

export type ExplainCause =
  | "ended"
  | "running"
  | "deferred"
  | "parent-cancelled"
  | "payload-refused"
  | "retry-wait"
  | "not-before"
  | "job-gone"
  | "job-paused"
  | "queue-paused"
  | "push-failing"
  | "limit"
  | "no-worker"
  | `worker-${Hindrance}`
  | "in-line";

export interface ExplainedWorker {
  readonly id: string;
  readonly name: string | null;
  readonly state: WorkerState;
  readonly deaf: boolean;
  /** Why by what it has said it gets nothing of this lane; null where it may. */
  readonly unfit: "checksum" | "labels" | "queue" | "draining" | "paused" | null;
  readonly pause: Pause | null;
  readonly held: number;
  /** How many it takes at a time; null where it has not said. */
  readonly capacity: number | null;
}

export interface ExplainFacts {
  readonly now: number;
  readonly state: TaskState;
  readonly worker: string | null;
  readonly runAt: number | null;
  readonly failures: number;
  /** Whether a new schema has refused its payload. */
  readonly refused: boolean;
  readonly parentCancelled: boolean;
  readonly job: string;
  readonly jobGone: boolean;
  readonly jobPause: Pause | null;
  readonly queue: string;
  readonly queuePause: Pause | null;
  /** Of a job that is pushed to an address: what it answered last, where that was no success. */
  readonly pushFailure: string | null;
  readonly isPush: boolean;
  readonly limit: { readonly maxRunning: number; readonly running: number } | null;
  readonly workers: readonly ExplainedWorker[];
  /** Of those that had the job and are gone. */
  readonly lastSeenAt: number | null;
  readonly position: { readonly position: number; readonly exact: boolean } | null;
}

export interface Explanation {
  readonly cause: ExplainCause;
  /** One sentence for people. */
  readonly sentence: string;
}

export function explain(facts: ExplainFacts): Explanation {
  return byTask(facts) ?? byJob(facts) ?? (facts.isPush ? inLine(facts) : (byWorkers(facts) ?? inLine(facts)));
}

export function hindranceOf(worker: ExplainedWorker): Hindrance | null {
  const { state, deaf, unfit, pause, held, capacity } = worker;
  if (state === "OFFLINE" || state === "DELETED") return "offline";
  if (unfit === "checksum" || unfit === "labels" || unfit === "queue") return unfit;
  if (state === "UNREACHABLE") return "unreachable";
  if (deaf) return "deaf";
  if (unfit === "draining") return "draining";
  if (unfit === "paused" || pause !== null) return "paused";
  return capacity !== null && held >= capacity ? "full" : null;
}

function byTask({ state, worker, runAt, failures, refused, parentCancelled }: ExplainFacts): Explanation | null {
  if (state === "completed" || state === "failed" || state === "cancelled") return say("ended", `It is ${state}`);
  if (state === "running" && worker === null) return say("deferred", "It waits for its children");
  if (state !== "pending") return say("running", `Worker ${worker} has it`);
  if (parentCancelled) return say("parent-cancelled", "Its parent was cancelled, and it is about to be");
  if (runAt === null) return null;
  const until = `until ${new Date(runAt).toISOString()}`;
  if (refused) return say("payload-refused", `The job's schema refuses its payload now; it waits ${until}`);
  if (failures > 0) return say("retry-wait", `It failed ${times(failures)} and waits ${until} for the next attempt`);
  return say("not-before", `It is not to run before ${new Date(runAt).toISOString()}`);
}

function byJob(facts: ExplainFacts): Explanation | null {
  const { job, jobGone, jobPause, queue, queuePause, pushFailure, limit } = facts;
  if (jobGone) return say("job-gone", `Job '${job}' does not exist any more`);
  if (jobPause !== null) return say("job-paused", `Job '${job}' is paused ${pauseText(jobPause)}`);
  if (queuePause !== null) return say("queue-paused", `Queue '${queue}' is paused ${pauseText(queuePause)}`);
  if (pushFailure !== null) return say("push-failing", `The address it is pushed to fails: ${pushFailure}`);
  if (limit === null || limit.running < limit.maxRunning) return null;
  return say("limit", `Only ${limit.maxRunning} of its kind may run at a time, and ${limit.running} do`);
}

function byWorkers(facts: ExplainFacts): Explanation | null {
  const { workers, job, queue, lastSeenAt } = facts;
  const reasons = workers.map(hindranceOf);
  if (reasons.includes(null)) return null;
  const alive = workers.filter((_, nth) => reasons[nth] !== "offline");
  if (alive.length === 0) {
    const seen =
      lastSeenAt === null ? "and none ever did" : `the last was seen at ${new Date(lastSeenAt).toISOString()}`;
    return say("no-worker", `No worker serves job '${job}'; ${seen}`);
  }
  const nearest = hindrances.findLast((each) => reasons.includes(each)) as Hindrance;
  const those = workers.filter((_, nth) => reasons[nth] === nearest);
  const count = those.length === alive.length ? "all of them" : `${those.length} of ${alive.length}`;
  return say(
    `worker-${nearest}`,
    `${workersText(alive.length)} '${job}', ${count} ${hindranceText(nearest, those, queue)}`,
  );
}

function inLine({ position }: ExplainFacts): Explanation {
  if (position === null) return say("in-line", "It is about to be given out");
  const { position: place, exact } = position;
  return say("in-line", `It is number ${exact ? "" : "about "}${place} in line`);
}

function hindranceText(what: Hindrance, those: readonly ExplainedWorker[], queue: string): string {
  const names = those.slice(0, namesMax).map(({ id, name }) => name ?? id);
  const who = names.length < those.length ? `${names.join(", ")} and others` : names.join(", ");
  const are = those.length === 1 ? "is" : "are";
  switch (what) {
    case "offline":
      return `${are} gone (${who})`;
    case "checksum":
      return `with another version of it (${who})`;
    case "labels":
      return `without the labels it asks for (${who})`;
    case "queue":
      return `not taking queue '${queue}' (${who})`;
    case "unreachable":
      return `out of reach (${who})`;
    case "deaf":
      return `not hearing the server (${who})`;
    case "draining":
      return `draining (${who})`;
    case "paused":
      return `paused (${who}${pausesText(those)})`;
    case "full":
      return `full (${who})`;
  }
}

const namesMax = 3;

function pausesText(those: readonly ExplainedWorker[]): string {
  const first = those.find(({ pause }) => pause !== null)?.pause;
  return first == null ? "" : `, ${pauseText(first)}`;
}

function pauseText({ by, note, until }: Pause): string {
  const end = until === null ? "" : ` until ${new Date(until).toISOString()}`;
  return `by ${by}${end}${note === null ? "" : `: ${note}`}`;
}

function workersText(count: number): string {
  return count === 1 ? "1 worker serves job" : `${count} workers serve job`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function say(cause: ExplainCause, sentence: string): Explanation {
  return { cause, sentence };
}
