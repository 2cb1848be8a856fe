// What the viewers' process is told, and what it says.

import type { ViewerWords } from "./viewer.ts";

export interface CrowdWords extends ViewerWords {
  readonly viewers: number;
}

/** What every viewer should have heard. */
export interface Happened {
  readonly events: readonly HappenedEvent[];
}

export interface HappenedEvent {
  readonly task: string;
  readonly status: string;
  /** When the request that brought it about was sent, as `monotonicMs` tells it. */
  readonly sentAt: number;
}

export interface Verdict {
  readonly kind: "verdict";
  /** Over all viewers: events that did not come. A slow reader may be spared what is old. */
  readonly missed: number;
  /** Over all viewers: tasks of which the last thing heard is not how they ended. */
  readonly wrong: number;
  readonly delivered: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  /** Of the viewers' process, from its last connection until it had heard all. */
  readonly cpuMs: number;
}
