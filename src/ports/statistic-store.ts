// What servers count, added up. Nothing of a task's life depends on it: it is written apart from every move.

import type { FailureQuery, FailureSummary, StatisticQuery, StatisticSum } from "../core/statistic-sums.ts";
import type { FailureCount, Statistic } from "../core/statistics.ts";

export interface StatisticStore {
  /**
   * Adds to what is kept, in one transaction: to the minute, and to the hour that it is part of. What it throws for was not
   * added, and may be tried again; where nobody can tell it does not throw, because nothing is to be counted twice.
   */
  add(counted: Counted): Promise<void>;
  /**
   * What is of before then goes: minutes, hours, and failures not seen since those. Answers how many rows went: fewer than
   * the limit where nothing is left.
   */
  trim(before: TrimTimes): Promise<number>;
}

export interface Counted {
  /** By minutes: no two of one minute, room and job, nor of one minute, room and fingerprint. */
  readonly statistics: readonly Statistic[];
  readonly failures: readonly FailureCount[];
}

export interface TrimTimes {
  readonly minutes: number;
  readonly hours: number;
  /** Of each kind, so that no move waits long for it. */
  readonly limit: number;
}

export interface StatisticReads {
  /** Those parts of the span in which something was counted, in order of time, then of job. */
  readonly statistics: { readonly query: StatisticQuery; readonly answer: readonly StatisticSum[] };
  readonly failures: {
    readonly query: FailureQuery;
    readonly answer: {
      readonly items: readonly FailureSummary[];
      readonly total: number;
      readonly totalExact: boolean;
    };
  };
}
