// What a handler tells of itself is a sign of life, for the task and against its timeout, but no move: no event, and the
// version stays. One a second and task is written; deadlines that look at it are far longer than that.

import { passage } from "../core/passage.ts";
import { isFinal } from "../core/task-row.ts";
import type { Held } from "./held.ts";
import type { Moves } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";

export interface SignsOfLife {
  /** Of a task that is open and has been started; any other has nothing to gain. */
  heard(id: string): Promise<void>;
}

const everyMs = 1_000;
const knownMax = 100_000;

export function signsOfLife(
  { clock }: Pick<Surroundings, "clock">,
  { moves, held }: { readonly moves: Pick<Moves, "locked">; readonly held: Pick<Held, "get"> },
): SignsOfLife {
  const writtenAt = passage<string, number>();

  function isFresh(id: string, now: number): boolean {
    const lately = Math.max(writtenAt.map().get(id) ?? 0, held.get(id)?.row.activeAt ?? 0);
    return now - lately < everyMs;
  }

  return {
    async heard(id) {
      const now = clock.now();
      if (isFresh(id, now)) return;
      writtenAt.set(id, now);
      const all = writtenAt.map();
      if (all.size > knownMax) writtenAt.delete(all.keys().next().value as string);
      await moves.locked(id, ({ row }) => {
        if (isFinal(row.state) || row.startedAt === null || row.activeAt >= now) return "leave";
        return { renew: { dueAt: row.dueAt, leasedUntil: row.leasedUntil, activeAt: now } };
      });
    },
  };
}
