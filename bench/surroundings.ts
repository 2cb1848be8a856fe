// The real clock and ids, a log that speaks up only when something is wrong, and telemetry that counts commits.

import type { Log } from "../src/ports/log.ts";
import type { BatchKind, Telemetry } from "../src/ports/telemetry.ts";
import { type SystemClock, systemClock, systemIds, systemRandom } from "../src/server/system.ts";

export interface BenchSurroundings {
  readonly clock: SystemClock;
  readonly ids: ReturnType<typeof systemIds>;
  readonly random: ReturnType<typeof systemRandom>;
  readonly log: Log;
}

export function benchSurroundings(): BenchSurroundings {
  const clock = systemClock();
  return { clock, ids: systemIds(clock), random: systemRandom(), log: alarmingLog };
}

/** A run in which something went wrong quietly would be a wrong figure. */
const alarmingLog: Log = {
  debug() {},
  info() {},
  warn: (message, fields) => console.error("warning:", message, fields ?? ""),
  error: (message, fields) => console.error("error:", message, fields ?? ""),
};

export interface CommitCounts extends Telemetry {
  /** Commits of this kind and the calls they carried, since the last reset. */
  of(kind: BatchKind): { readonly commits: number; readonly calls: number };
  reset(): void;
}

export function commitCounts(): CommitCounts {
  const counts = new Map<BatchKind, { commits: number; calls: number }>();
  return {
    moved() {},
    alerted() {},
    workerEvent() {},
    committed(kind, calls) {
      const known = counts.get(kind) ?? { commits: 0, calls: 0 };
      counts.set(kind, { commits: known.commits + 1, calls: known.calls + calls });
    },
    sweptLate() {},
    pulseSkew() {},
    pushed() {},
    span: (_name, _attributes, work) => work(),
    of: (kind) => counts.get(kind) ?? { commits: 0, calls: 0 },
    reset: () => counts.clear(),
  };
}
