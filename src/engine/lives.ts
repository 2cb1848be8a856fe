// What this server has heard of workers, and what of that is still to be written. Thousands of them beat every second, so
// whoever hears of one keeps its life at hand, and a beat finds there all it needs.

import { beatIsWorthWriting } from "../core/liveness.ts";
import type { WorkerRecord } from "../ports/records.ts";
import type { Beat } from "../ports/store.ts";
import { awayTopic } from "./absences.ts";
import { type BeatTrail, beatTrail } from "./beat-trail.ts";

export interface Life {
  readonly worker: string;
  /** Where whoever waits for a sign of life listens. */
  readonly away: string;
  seenAt: number;
  writtenAt: number;
  lostMs: number;
  unreachableMs: number | null;
  /** When a beat was last written with how the worker is. */
  describedAt: number;
  isUnwritten: boolean;
  /** Of a worker that was heard here. */
  trail: BeatTrail | null;
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
  /** How many were heard of within their windows. */
  living(now: number): number;
  isUnwritten(): boolean;
  written(beats: readonly Beat[]): void;
}

export function lives(): Lives {
  const known = new Map<string, Life>();
  // A list, made anew with every writing, and no set: one that thousands enter and leave every second leaves its old
  // tables behind, each of which holds on to the next.
  let unwritten: Life[] = [];

  function end(worker: string): void {
    const life = known.get(worker);
    if (life === undefined) return;
    life.isOver = true;
    known.delete(worker);
  }

  const waiting = (): Life[] => unwritten.filter(({ isUnwritten, isOver }) => isUnwritten && !isOver);
  const beatOf = ({ worker, seenAt }: Life): Beat => ({ worker, at: seenAt });

  return {
    get: (worker) => known.get(worker),
    end,
    begin({ id, session: { seenAt, lostMs, unreachableMs } }) {
      // One that begins anew goes on beating.
      const trail = known.get(id)?.trail ?? null;
      end(id);
      const times = { seenAt, writtenAt: seenAt, lostMs, unreachableMs, describedAt: 0 };
      const life = { worker: id, away: awayTopic(id), ...times, trail, isUnwritten: false, isOver: false };
      known.set(id, life);
      return life;
    },
    heard(life, now) {
      life.seenAt = now;
      life.trail ??= beatTrail();
      life.trail.heard(now);
      // One that is over is not written: another has taken its place, or nobody.
      if (life.isUnwritten || life.isOver) return;
      life.isUnwritten = true;
      unwritten.push(life);
    },
    worthWriting(now) {
      unwritten = waiting();
      return unwritten.filter((life) => beatIsWorthWriting(life.writtenAt, life, now)).map(beatOf);
    },
    isUnwritten: () => waiting().length > 0,
    unwritten: () => waiting().map(beatOf),
    living(now) {
      let count = 0;
      for (const { seenAt, lostMs } of known.values()) if (now - seenAt < lostMs) count += 1;
      return count;
    },
    written(beats) {
      for (const { worker, at } of beats) {
        const life = known.get(worker);
        if (life === undefined) continue;
        life.writtenAt = at;
        if (life.seenAt === at) life.isUnwritten = false;
      }
      unwritten = waiting();
    },
  };
}
