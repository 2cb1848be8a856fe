// Of which tasks somebody is told how many there are: those of the rooms and jobs that he may see, and of these what he asks
// for.

import { maySeeRoom, mayUseJob, type Principal } from "../../core/access.ts";
import { checkRoom, globalRoom, internalRoom } from "../../core/name.ts";
import type { LaneDepth } from "../../ports/store-reads.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";

export interface ScopeQuery {
  readonly room?: string | undefined;
  /** Full name. */
  readonly job?: string | undefined;
}

/** Null: all of them. */
export interface Scope {
  readonly rooms: readonly string[] | null;
  readonly jobs: readonly string[] | null;
}

export interface StatisticScopes {
  of(who: Principal, query: ScopeQuery): Scope;
  /** What waits and runs in each lane, as far as it belongs to the scope. */
  depths(scope: Scope): Promise<readonly LaneDepth[]>;
}

export function statisticScopes(
  { store }: Pick<Surroundings, "store">,
  { catalog, depths }: Pick<Operations, "catalog" | "depths">,
): StatisticScopes {
  function roomsOf({ rooms }: Principal, room: string | undefined): readonly string[] | null {
    if (room === undefined) return rooms === null ? null : [...new Set([...rooms, globalRoom, internalRoom])];
    checkRoom(room);
    return maySeeRoom({ rooms }, room) ? [room] : [];
  }

  function jobsOf(who: Principal, job: string | undefined): readonly string[] | null {
    // Whoever may see a room sees its tasks, of whatever room their job is.
    const isSeen = (name: string) => who.jobs === null || mayUseJob(who, name);
    if (job !== undefined) return isSeen(job) ? [job] : [];
    return who.jobs === null ? null : [...catalog.jobs()].map(({ name }) => name).filter(isSeen);
  }

  return {
    of: (who, { room, job }) => ({ rooms: roomsOf(who, room), jobs: jobsOf(who, job) }),
    async depths({ rooms, jobs }) {
      const all = await depths.lanes();
      const isWanted = jobs === null ? () => true : has(new Set(jobs));
      const wanted = all.filter(({ lane }) => isWanted(catalog.lane(lane)?.job));
      if (rooms === null || wanted.length === 0) return wanted;
      return store.read("roomDepths", { rooms, lanes: wanted.map(({ lane }) => lane) });
    },
  };
}

function has(jobs: ReadonlySet<string>): (job: string | undefined) => boolean {
  return (job) => job !== undefined && jobs.has(job);
}
