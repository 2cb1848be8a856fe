// What the workers of the comparison are told, and what they say.

import type { SystemName, Where } from "./system.ts";

export interface WorkerWords {
  readonly system: SystemName;
  readonly where: Where;
  readonly concurrency: number;
  readonly prefetch: number;
  /**
   * What it tells: how many tasks are done, when a task has started, or that too, and then it holds the task until it is
   * let go.
   */
  readonly tells: "ended" | "started" | "held";
}

/** Its code is loaded, and it waits to be told to go. */
export interface Loaded {
  readonly kind: "loaded";
}

/** It takes tasks. */
export interface Ready {
  readonly kind: "ready";
}

export interface Ended {
  readonly kind: "ended";
  /** Since its start. */
  readonly tasks: number;
  /** When the last of them ended, as `monotonicMs` tells it. */
  readonly at: number;
}

export interface Started {
  readonly kind: "started";
  readonly task: string;
  readonly at: number;
}

/** Begin; and to a worker that holds its tasks: let them end, and those to come. */
export interface WorkerOrder {
  readonly order: "go" | "let go";
}
