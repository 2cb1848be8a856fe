// What this server has heard of workers, and what of that is still to be written. Thousands of them beat every second, so
// whoever hears of one keeps its life at hand, and a beat finds there all it needs.

import { beatIsWorthWriting } from "../core/liveness.ts";
import type { WorkerRecord } from "../ports/records.ts";
import type { Beat } from "../ports/store.ts";
import { awayTopic } from "./absences.ts";

export interface Life {
  readonly worker: string;
  /** Where whoever waits for a sign of life listens. */
  readonly away: string;
  seenAt: number;
  writtenAt: number;
  lostMs: number;
  isUnwritten: boolean;
  /** The worker was given up, or has begun anew. */
  isOver: boolean;
}

export interface Lives {
  get(worker: string): Life | undefined;
  begin(worker: WorkerRecord): Life;
  end(worker: string): void;
  heard(life: Life, now: number): void;
  /** Those whose last written beat is old enough; the others wait for a later time, so a last beat is never lost. */
  worthWriting(now: number): Beat[];
  unwritten(): Beat[];
  isUnwritten(): boolean;
  written(beats: readonly Beat[]): void;
}

export function lives(): Lives {
  const known = new Map<string, Life>();
  const unwritten = new Set<Life>();

  function end(worker: string): void {
    const life = known.get(worker);
    if (life === undefined) return;
    life.isOver = true;
    known.delete(worker);
    unwritten.delete(life);
  }

  return {
    get: (worker) => known.get(worker),
    end,
    begin({ id, session: { seenAt, lostMs } }) {
      end(id);
      const times = { seenAt, writtenAt: seenAt, lostMs };
      const life = { worker: id, away: awayTopic(id), ...times, isUnwritten: false, isOver: false };
      known.set(id, life);
      return life;
    },
    heard(life, now) {
      life.seenAt = now;
      // One that is over is not written: another has taken its place, or nobody.
      if (life.isUnwritten || life.isOver) return;
      life.isUnwritten = true;
      unwritten.add(life);
    },
    worthWriting(now) {
      const due: Beat[] = [];
      for (const { worker, seenAt, writtenAt, lostMs } of unwritten) {
        if (beatIsWorthWriting({ seenAt: writtenAt, lostMs }, now)) due.push({ worker, at: seenAt });
      }
      return due;
    },
    isUnwritten: () => unwritten.size > 0,
    unwritten: () => [...unwritten].map(({ worker, seenAt }) => ({ worker, at: seenAt })),
    written(beats) {
      for (const { worker, at } of beats) {
        const life = known.get(worker);
        if (life === undefined) continue;
        life.writtenAt = at;
        if (life.seenAt !== at) continue;
        life.isUnwritten = false;
        unwritten.delete(life);
      }
    },
  };
}
