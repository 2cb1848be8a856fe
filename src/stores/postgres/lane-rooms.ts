// How many more tasks of a limited lane may be in somebody's hands. True for as long as the lane's lock is held.

import type { ClientBase } from "pg";
import { plainArray } from "./arrays.ts";
import { countHeld } from "./load.ts";
import { ask, type Statement } from "./statement.ts";

const lockLanes: Statement = {
  name: "lock_lanes",
  text: `
    select l.id, l.max_running
    from unnest($1::integer[]) with ordinality n (id, nth)
    join lane l on l.id = n.id
    order by n.nth
    for update of l`,
};

/** By lane; one without a limit is left out. */
export async function lockedRooms(client: ClientBase, lanes: readonly number[]): Promise<Map<number, number>> {
  if (lanes.length === 0) return new Map();
  const values = [plainArray([...new Set(lanes)].sort((a, b) => a - b))];
  const [locked, held] = await Promise.all([
    ask<[lane: number, most: number | null]>(client, lockLanes, values),
    // Apart from the lock: it must see what was committed while we waited for that.
    ask<[lane: number, held: number]>(client, countHeld, values),
  ]);
  const counts = new Map(held);
  return new Map(locked.flatMap(([lane, most]) => (most === null ? [] : [[lane, most - (counts.get(lane) ?? 0)]])));
}
