// What the processes of a bench tell each other.

import type { Config } from "../../server/settings/settings.ts";

/** To a server: begin. */
export interface ServerWords {
  readonly config: Config;
}

export interface Listening {
  readonly kind: "listening";
  readonly url: string;
}

/** To a worker: begin. */
export interface WorkerWords {
  readonly url: string;
  readonly token: string;
  readonly concurrency: number;
  readonly queue: string;
  /** How many tasks it will get; null where it tells of every start instead. */
  readonly tasks: number | null;
}

export interface Ready {
  readonly kind: "ready";
}

export interface Started {
  readonly kind: "started";
  /** As `monotonicMs` tells it. */
  readonly at: number;
}

/** Said now and then, and when all of them have ended. */
export interface Progress {
  readonly kind: "progress";
  readonly ended: number;
  /** When the first one started, and when the last one ended. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The only job of a bench: it does nothing. */
export const benchRoom = "bench";
export const benchJob = "bench:operations:nothing";
