// Beats on their way to the record: gathered for up to a second, written in one statement, and at once where what is
// written is so old that somebody may act on it.

import { shortestWindowMs } from "../core/liveness.ts";
import type { Beat } from "../ports/store.ts";
import type { Catalog } from "./catalog.ts";
import type { Lives } from "./lives.ts";
import type { Surroundings } from "./surroundings.ts";

export interface BeatWriting {
  /** Within a second. */
  soon(from: number): void;
  /** One at a time: with the database away, every beat becomes urgent. What is under way may be without the latest. */
  atOnce(): Promise<void>;
  /** What is worth it, or everything. */
  flush(everything?: boolean): Promise<void>;
  /** How workers are, as JSON text: asked for now and then when a beat is written anyway. Null: nothing to say. */
  describe(statusOf: (worker: string) => string | null): void;
}

/** How a worker is changes all the time; whoever looks at it from another server need not know by the second. */
const describedEveryMs = 10_000;

export function beatWriting(around: Surroundings, known: Lives, catalog: Pick<Catalog, "refresh">): BeatWriting {
  const { store, clock, log, telemetry, settings } = around;
  // Where a window is very short, a beat must not come too late to the record.
  const flushMs = Math.min(1_000, ...Object.values(settings.profiles).map((profile) => shortestWindowMs(profile) / 4));
  let silence: (() => void) | null = null;
  let urgent: Promise<void> | null = null;
  let statusOf: (worker: string) => string | null = () => null;

  function soon(from: number): void {
    silence ??= clock.alarm(from + flushMs, () => void flush());
  }

  async function flush(everything = false): Promise<void> {
    silence?.();
    silence = null;
    const now = clock.now();
    const due = everything ? known.unwritten() : known.worthWriting(now);
    try {
      if (due.length > 0) await write(due, now);
    } catch (error) {
      // The workers did beat; only the record is missing. It is written with the next.
      log.warn("beats could not be written", { workers: due.length, error });
    }
    if (known.isUnwritten() && !everything) soon(clock.now());
  }

  async function write(due: readonly Beat[], now: number): Promise<void> {
    const gone = await store.beat(due.map(described));
    telemetry.committed("beat", due.length, clock.now() - now);
    known.written(due);
    for (const id of gone) known.end(id);
    if (gone.length > 0) await catalog.refresh();
  }

  function described(beat: Beat): Beat {
    const life = known.get(beat.worker);
    if (life === undefined || beat.at - life.describedAt < describedEveryMs) return beat;
    const status = statusOf(beat.worker);
    if (status === null) return beat;
    life.describedAt = beat.at;
    return { ...beat, status };
  }

  return {
    soon,
    flush,
    atOnce() {
      urgent ??= flush().finally(() => {
        urgent = null;
      });
      return urgent;
    },
    describe(read) {
      statusOf = read;
    },
  };
}
