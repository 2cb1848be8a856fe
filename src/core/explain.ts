// Why a task is not running: the first of these causes that holds, from the task outwards to its job, its queue, its
// target, and the workers that could do it. Where each worker has a reason of its own, the reason of those that are
// nearest to being able counts, and the others are among the facts.

import { unasked } from "./explain-asking.ts";
import { brokerCauses, byBroker, inBroker, type MessageFacts } from "./explain-broker.ts";
import { type JobGate, type Labels, type LaneKey, unfitness, type WorkerGate } from "./lane.ts";
import type { WorkerState } from "./liveness.ts";
import type { Pause } from "./pause.ts";
import type { TaskState } from "./task-row.ts";
import { timeText } from "./time-text.ts";

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

/** From the task outwards. */
export const explainCauses = [
  ...(["ended", "running", "deferred", "parent-cancelled", "payload-refused", "retry-wait", "not-before"] as const),
  ...(["job-gone", "job-paused", "queue-paused", "push-failing", "limit"] as const),
  ...brokerCauses,
  "no-worker",
  ...(["worker-checksum", "worker-labels", "worker-queue", "worker-unreachable", "worker-deaf"] as const),
  ...(["worker-draining", "worker-paused", "worker-full", "broker-queue", "not-asked", "in-line"] as const),
] as const;
export type ExplainCause = (typeof explainCauses)[number];

export type Unfit = "checksum" | "labels" | "queue" | "draining" | "paused";

export interface ExplainedWorker {
  /** Null where whoever asks may not see it. */
  readonly id: string | null;
  readonly name: string | null;
  readonly state: WorkerState;
  readonly deaf: boolean;
  /** Why by what it has said it gets nothing of this lane; null where it may. */
  readonly unfit: Unfit | null;
  readonly pause: Pause | null;
  /** None where whoever asks may not see it. */
  readonly labels: Labels;
  readonly held: number;
  /** Beyond how many it gets nothing; null where it has not said, or gets what it asks for. */
  readonly capacity: number | null;
  /** For how long it has not asked for work; null where it need not, or may have asked another server. */
  readonly unaskedMs: number | null;
}

export interface ExplainFacts {
  readonly state: TaskState;
  readonly worker: string | null;
  readonly runAt: number | null;
  readonly failures: number;
  /** Of the last attempt, where that failed. */
  readonly lastError: string | null;
  /** What a new schema has against its payload; null where it was not refused. */
  readonly refusal: string | null;
  readonly parentCancelled: boolean;
  readonly job: string;
  readonly jobGone: boolean;
  readonly jobPause: Pause | null;
  readonly queue: string;
  readonly queuePause: Pause | null;
  /** What it asks of workers. */
  readonly labels: Labels;
  /** The version of the job that workers need; null where there is no job. */
  readonly checksum: string | null;
  /** Somebody has paused this one row of tasks, without a word. */
  readonly lanePaused: boolean;
  /** Whether it is done by the servers themselves, or by whoever is behind an address. */
  readonly by: "workers" | "servers" | "target";
  /** What the address of a push job answered last, where that was no success. */
  readonly pushFailure: string | null;
  readonly limit: { readonly maxRunning: number; readonly running: number } | null;
  /** Of its message; null where it needs none: no broker is told of it, or somebody could take it without. */
  readonly message: MessageFacts | null;
  readonly workers: readonly ExplainedWorker[];
  /** How many have the job; of very many only some are looked at. */
  readonly workersTotal: number;
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
  const { by, queue, message } = facts;
  const before = byTask(facts) ?? byJob(facts) ?? (message && byBroker(queue, message));
  if (before !== null) return before;
  const hindered = by === "target" ? null : byWorkers(facts);
  return hindered ?? (message && inBroker(queue, message)) ?? byAsking(facts) ?? inLine(facts);
}

/** What a worker lacks for good comes before what may pass: whoever drains, and lacks a label, lacks a label. */
export function unfitOf(worker: WorkerGate, lane: LaneKey, job: JobGate): Unfit | null {
  const lacks = unfitness({ ...worker, draining: false, paused: false }, lane, job);
  if (lacks === "checksum" || lacks === "labels" || lacks === "queue") return lacks;
  return worker.draining ? "draining" : worker.paused ? "paused" : null;
}

export function hindranceOf(worker: Omit<ExplainedWorker, "id" | "name" | "labels" | "unaskedMs">): Hindrance | null {
  const { state, deaf, unfit, pause, held, capacity } = worker;
  if (state === "OFFLINE" || state === "DELETED") return "offline";
  if (unfit === "checksum" || unfit === "labels" || unfit === "queue") return unfit;
  if (state === "UNREACHABLE") return "unreachable";
  if (deaf) return "deaf";
  if (unfit === "draining") return "draining";
  if (unfit === "paused" || pause !== null) return "paused";
  return capacity !== null && held >= capacity ? "full" : null;
}

function byTask(facts: ExplainFacts): Explanation | null {
  const { state, worker, runAt, parentCancelled } = facts;
  if (state === "completed" || state === "failed" || state === "cancelled") return say("ended", `It is ${state}`);
  if (state === "running" && worker === null) return say("deferred", "It waits for its children");
  if (state !== "pending") return say("running", holding(facts));
  if (parentCancelled) return say("parent-cancelled", "Its parent was cancelled, and it is about to be");
  return runAt === null ? null : byTime(facts, timeText(runAt));
}

function byTime({ failures, lastError, refusal, pushFailure }: ExplainFacts, time: string): Explanation {
  if (refusal !== null) {
    return say("payload-refused", `The job's schema refuses its payload: ${refusal}; it is looked at again at ${time}`);
  }
  if (pushFailure !== null) {
    return say("push-failing", `The address it is pushed to fails: ${pushFailure}; it is tried again at ${time}`);
  }
  if (failures === 0) return say("not-before", `It is not to run before ${time}`);
  const why = lastError === null || lastError === "" ? "" : ` (${shortened(lastError)})`;
  return say("retry-wait", `It failed ${times(failures)}${why} and waits for its next attempt at ${time}`);
}

function byJob(facts: ExplainFacts): Explanation | null {
  const { job, jobGone, jobPause, queue, queuePause, lanePaused, pushFailure, limit } = facts;
  if (jobGone) return say("job-gone", `Job '${job}' does not exist any more`);
  if (jobPause !== null) return say("job-paused", `Job '${job}' is paused${pauseText(jobPause)}`);
  if (queuePause !== null) return say("queue-paused", `Queue '${queue}' is paused${pauseText(queuePause)}`);
  if (lanePaused) return say("queue-paused", `Queue '${queue}' is paused for job '${job}'`);
  if (pushFailure !== null) return say("push-failing", `The address it is pushed to fails: ${pushFailure}`);
  if (limit === null || limit.running < limit.maxRunning) return null;
  return say("limit", `Only ${limit.maxRunning} of its kind may run at a time, and ${limit.running} do`);
}

function byWorkers(facts: ExplainFacts): Explanation | null {
  const { workers, workersTotal, job, lastSeenAt } = facts;
  const reasons = workers.map(hindranceOf);
  if (reasons.includes(null)) return null;
  const alive = workers.filter((_, nth) => reasons[nth] !== "offline");
  if (alive.length === 0) {
    const seen = lastSeenAt === null ? "none is remembered" : `the last was seen at ${timeText(lastSeenAt)}`;
    return say("no-worker", `No worker serves job '${job}'; ${seen}`);
  }
  const nearest = hindrances.findLast((each) => reasons.includes(each)) as Exclude<Hindrance, "offline">;
  const those = workers.filter((_, nth) => reasons[nth] === nearest);
  const who = whose(job, those.length, alive.length, workersTotal - workers.length) + namesText(those);
  return say(`worker-${nearest}`, `${who} ${predicates[nearest](those.length === 1, those, facts)}`);
}

function byAsking({ workers, workersTotal, job }: ExplainFacts): Explanation | null {
  const able = workers.filter((worker) => hindranceOf(worker) === null);
  const alive = workers.filter((worker) => hindranceOf(worker) !== "offline");
  // Of those that were not looked at, any may have asked.
  const quiet = workersTotal > workers.length ? null : unasked(able);
  if (quiet === null) return null;
  return say("not-asked", `${whose(job, able.length, alive.length, 0)}${namesText(able)} ${quiet}`);
}

function whose(job: string, those: number, alive: number, unseen: number): string {
  if (unseen > 0) return `At least ${those} of ${alive + unseen} workers of job '${job}'`;
  if (alive === 1) return `The only worker of job '${job}'`;
  if (those < alive) return `Of ${alive} workers of job '${job}' ${those}`;
  return `${alive === 2 ? "Both" : `All ${alive}`} workers of job '${job}'`;
}

/** Behind the workers that are meant. */
const predicates = {
  checksum: (one) => `${one ? "has" : "have"} another version of it`,
  labels: (one, those, { labels }) =>
    `${one ? "lacks" : "lack"} a label that it asks for: ${lackedText(those, labels)}`,
  queue: (one, _, { queue }) => `${one ? "does" : "do"} not take queue '${queue}'`,
  unreachable: (one) => `${are(one)} out of reach`,
  deaf: (one) => `${one ? "does" : "do"} not hear the server`,
  draining: (one) => `${are(one)} draining`,
  paused: (one, those) => `${are(one)} paused${pausesText(those)}`,
  full: (one) => `${are(one)} full`,
} as const satisfies Record<
  Exclude<Hindrance, "offline">,
  (one: boolean, those: readonly ExplainedWorker[], facts: ExplainFacts) => string
>;

function are(one: boolean): string {
  return one ? "is" : "are";
}

function holding({ by, worker, state }: ExplainFacts): string {
  const who = { workers: `Worker ${worker}`, servers: "A server", target: "The address it is pushed to" }[by];
  return state === "claimed" ? `${who} has it, and has not started it yet` : `${who} has it`;
}

function inLine({ position }: ExplainFacts): Explanation {
  if (position === null) return say("in-line", "It is about to be given out");
  const { position: place, exact } = position;
  return say("in-line", `It is number ${exact ? "" : "about "}${place} in line`);
}

const namesMax = 3;

/** Of those that may be named. */
function namesText(those: readonly ExplainedWorker[]): string {
  const names = those.flatMap(({ id, name }) => (id === null ? [] : [name ?? id])).slice(0, namesMax);
  if (names.length === 0) return "";
  return names.length < those.length ? ` (${names.join(", ")} and others)` : ` (${names.join(", ")})`;
}

/** What any of those lacks that may be seen; where none may, all that is asked for. */
function lackedText(those: readonly ExplainedWorker[], asked: Labels): string {
  const seen = those.filter(({ id }) => id !== null);
  const all = Object.entries(asked);
  const lacked = all.filter(([key, value]) => seen.some(({ labels }) => labels[key] !== value));
  return (lacked.length === 0 ? all : lacked).map(([key, value]) => `${key}=${value}`).join(", ");
}

/** Who paused them, until when and why, each as far as it is the same for all. */
function pausesText(those: readonly ExplainedWorker[]): string {
  const shared = <T>(of: (pause: Pause) => T): T | null => {
    const [first = null, ...others] = new Set(those.map(({ pause }) => (pause === null ? null : of(pause))));
    return others.length === 0 ? first : null;
  };
  return pauseText({
    by: shared(({ by }) => by),
    note: shared(({ note }) => note),
    until: shared(({ until }) => until),
  });
}

/** To be put behind "paused". */
function pauseText({ by, note, until }: Pick<Pause, "note" | "until"> & { readonly by: string | null }): string {
  const who = by === null ? "" : ` by ${by}`;
  const end = until === null ? "" : ` until ${timeText(until)}`;
  return `${who}${end}${note === null ? "" : `: ${note}`}`;
}

const errorCharsMax = 200;

/** Its first line, and not without an end. */
function shortened(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length <= errorCharsMax ? line : `${line.slice(0, errorCharsMax)}…`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function say(cause: ExplainCause, sentence: string): Explanation {
  return { cause, sentence };
}
