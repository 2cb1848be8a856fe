// Ready tasks of some lanes in exact claim order. Each lane is read by its own short walk of the ready index and the
// lanes are merged here: one query over all lanes would have to sort everything in them.

import type { DatabaseSync } from "node:sqlite";
import type { Demand } from "../../ports/store.ts";
import { laneLoad } from "./load.ts";
import { firstOf, type Source } from "./merge.ts";
import { query } from "./statement.ts";

const selectReady = `
  select rank, id
  from open_task
  where lane = ? and state = 'pending' and run_at is null and (rank, id) > (?, ?)
  order by rank, id
  limit +?`;

const selectMaxRunning = `
  select max_running
  from lane
  where id = ?`;

type Ready = [rank: number, id: string];

/** Ids, in claim order. */
export type Supply = (demand: Demand, wanted: number, without: ReadonlySet<string>) => string[];

/** How many more of a lane may be in somebody's hands. */
export function laneRoom(db: DatabaseSync): (lane: number) => number {
  const maxRunning = query<[number | null]>(db, selectMaxRunning);
  const held = laneLoad(db);
  return (lane) => {
    const max = maxRunning.get(lane)?.[0] ?? null;
    return max === null ? Number.POSITIVE_INFINITY : max - held(lane);
  };
}

export function supply(db: DatabaseSync): Supply {
  const ready = query<Ready>(db, selectReady);
  const roomIn = laneRoom(db);

  function readyIn(lane: number, room: number, slice: number, without: ReadonlySet<string>): Source<Ready> {
    let left = room;
    let last: Ready = [Number.MIN_SAFE_INTEGER, ""];
    let rows: Ready[] = [];
    let at = 0;
    let more = true;
    return () => {
      while (left > 0) {
        const row = rows[at];
        at += 1;
        if (row === undefined) {
          if (!more) return undefined;
          rows = ready.all(lane, last[0], last[1], slice);
          more = rows.length === slice;
          last = rows.at(-1) ?? last;
          at = 0;
        } else if (!without.has(row[1])) {
          left -= 1;
          return row;
        }
      }
      return undefined;
    };
  }

  return (demand, wanted, without) => {
    const limited = new Set(demand.limited);
    const lanes = [...new Set(demand.lanes)];
    // Twice an even share: enough for most lanes at once, and few rows read in vain.
    const slice = Math.min(wanted, Math.ceil((2 * wanted) / lanes.length));
    const sources = lanes.map((lane) =>
      readyIn(lane, limited.has(lane) ? roomIn(lane) : Number.POSITIVE_INFINITY, slice, without),
    );
    return firstOf(sources, claimedBefore, wanted).map(([, id]) => id);
  };
}

function claimedBefore([rank, id]: Ready, [otherRank, otherId]: Ready): boolean {
  return rank < otherRank || (rank === otherRank && id < otherId);
}
