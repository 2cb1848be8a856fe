// The jobs of the demo and the tasks it submits for them. Each task says in its payload how it will go, so that every run
// goes the same way.

/** How a task goes. */
export type Fate =
  /** Completes at the first try. */
  | "smooth"
  /** Completes, and tells how far it is on the way. */
  | "progress"
  /** Fails once, and completes when it is tried again. */
  | "retry"
  /** Fails every time. */
  | "hopeless"
  /** Waits for its time, then completes. */
  | "delayed"
  /** Is cancelled before its time comes. */
  | "dropped"
  /** Is cancelled while a worker has it in hand; the worker's result comes too late. */
  | "overtaken";

const room = "demo";

interface SampleJob {
  readonly job: string;
  readonly policy: { readonly retry?: { readonly maxAttempts: number; readonly baseMs: number } };
}

/** Names from the category `operations`, which is allowed whatever the settings say. */
const jobs = {
  resize: { job: `${room}:operations:resize-image`, policy: {} },
  mail: { job: `${room}:operations:send-mail`, policy: { retry: { maxAttempts: 2, baseMs: 100 } } },
  report: { job: `${room}:operations:build-report`, policy: {} },
  video: { job: `${room}:operations:render-video`, policy: {} },
} as const satisfies Record<string, SampleJob>;

export const sampleJobs: readonly SampleJob[] = Object.values(jobs);

const jobOf = {
  smooth: jobs.resize,
  progress: jobs.video,
  retry: jobs.mail,
  hopeless: jobs.mail,
  delayed: jobs.report,
  dropped: jobs.report,
  overtaken: jobs.video,
} as const satisfies Record<Fate, SampleJob>;

/** Of every hundred tasks, as many as said; all others are smooth. */
const shares: readonly (readonly [Fate, number])[] = [
  ["progress", 5],
  ["retry", 5],
  ["hopeless", 1],
  ["delayed", 5],
  ["dropped", 2],
  ["overtaken", 1],
];

const cycle: readonly Fate[] = spread();

/** Evenly, so that a short demo has some of each. */
function spread(): Fate[] {
  const fates: Fate[] = Array<Fate>(100).fill("smooth");
  const special = shares.flatMap(([fate, count]) => Array<Fate>(count).fill(fate));
  const step = Math.floor(fates.length / special.length);
  // 7 and 19 have no common factor: neighbours are of different kinds.
  for (const index of special.keys()) fates[index * step] = special[(index * 7) % special.length] as Fate;
  return fates;
}

export interface SampleTask {
  readonly fate: Fate;
  readonly request: {
    readonly job: string;
    readonly room: string;
    readonly payload: string;
    readonly runAt: number | null;
  };
}

const soonMs = 500;
const tomorrowMs = 24 * 3_600_000;

export function sampleTask(number: number, now: number): SampleTask {
  const fate = cycle[number % cycle.length] as Fate;
  const waitMs = fate === "delayed" ? soonMs : fate === "dropped" ? tomorrowMs : null;
  const payload = JSON.stringify({ number, fate });
  const runAt = waitMs === null ? null : now + waitMs;
  return { fate, request: { job: jobOf[fate].job, room, payload, runAt } };
}

export function fateOf(payload: string): Fate {
  return (JSON.parse(payload) as { fate: Fate }).fate;
}
