// Why nothing new is given out: somebody has paused a job, a queue or a worker. What is in hand goes on.

export const pauseKinds = ["job", "queue", "worker"] as const;
export type PauseKind = (typeof pauseKinds)[number];

export interface Pause {
  readonly kind: PauseKind;
  /** The full name of a job, the name of a queue, the id of a worker. */
  readonly name: string;
  readonly by: string;
  /** Why, in the words of who did it. */
  readonly note: string | null;
  readonly at: number;
  /** It ends by itself then. */
  readonly until: number | null;
  /** Since when it is over; null while it counts. */
  readonly endedAt: number | null;
}

export function isPaused(pause: Pause | undefined, now: number): boolean {
  return pause !== undefined && pause.endedAt === null && (pause.until === null || now < pause.until);
}

/** As reads see it: one whose time has passed is over, whether or not somebody has written so. */
export function counting(pause: Pause | undefined, now: number): Pause | null {
  return pause !== undefined && isPaused(pause, now) ? pause : null;
}

/** One of a kind has one pause at a time. */
export function pauseKey({ kind, name }: Pick<Pause, "kind" | "name">): string {
  return `${kind} ${name}`;
}
