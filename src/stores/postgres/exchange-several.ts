// Several demands, or lanes with a limit: one after the other, under the locks of those lanes, in one transaction.

import type { ClientBase } from "pg";
import type { ClaimedTask, TaskWrite } from "../../ports/records.ts";
import type { Demand, ExchangeAnswer, Taker } from "../../ports/store.ts";
import { plainArray } from "./arrays.ts";
import { type Circumstance, nothingWanted, runExchange, wasWritten, withinRooms, withMore } from "./claims.ts";
import type { Database } from "./database.ts";
import { ask, type Statement } from "./statement.ts";
import { noWrites, writeValues } from "./task-writes.ts";
import { transact } from "./transact.ts";

const lockLanes: Statement = {
  name: "lock_lanes",
  text: `
    select l.id, l.max_running
    from unnest($1::integer[]) with ordinality n (id, nth)
    join lane l on l.id = n.id
    order by n.nth
    for update of l`,
};

// Apart from the lock: it must see what was committed while we waited for that.
const countHeld: Statement = {
  name: "count_held",
  text: `
    select n.id, h.held
    from unnest($1::integer[]) n (id)
    cross join lateral (
      select count(*) as held
      from open_task o
      where o.lane = n.id
        and o.state <> 'pending'
        and o.worker is not null
    ) h`,
};

export function exchangeSeveral(
  database: Database,
  writes: readonly TaskWrite[],
  demands: readonly Demand[],
  now: number,
): Promise<ExchangeAnswer> {
  const named = writes.map((write) => write.next.id);
  const limited = [...new Set(demands.flatMap((demand) => demand.limited))].sort((a, b) => a - b);
  return transact(database, async (client) => {
    const around = { now, ticket: database.nextTicket(), named, spare: database.flights.count };
    const settling = runExchange(database, client, writeValues(writes), nothingWanted, around);
    const rooms = limited.length === 0 ? noRooms : settling.then(() => roomsOf(client, limited));
    // Without limits no demand depends on the answer to another, so all of them are sent at once.
    const [exchanged, claimed] = await Promise.all([
      settling,
      serveAll(database, client, demands, await rooms, around),
    ]);
    return { written: writes.map((write) => wasWritten(exchanged, write)), claimed };
  });
}

type Rooms = Map<number, number>;

const noRooms: Rooms = new Map();

async function roomsOf(client: ClientBase, limited: readonly number[]): Promise<Rooms> {
  const lanes = [plainArray(limited)];
  const [locked, held] = await Promise.all([
    ask<[lane: number, most: number | null]>(client, lockLanes, lanes),
    ask<[lane: number, held: number]>(client, countHeld, lanes),
  ]);
  const counts = new Map(held);
  return new Map(locked.flatMap(([lane, most]) => (most === null ? [] : [[lane, most - (counts.get(lane) ?? 0)]])));
}

async function serveAll(
  database: Database,
  client: ClientBase,
  demands: readonly Demand[],
  rooms: Rooms,
  around: Circumstance,
): Promise<ClaimedTask[][][]> {
  if (rooms.size === 0) return Promise.all(demands.map((demand) => serve(database, client, demand, rooms, around)));
  const claimed: ClaimedTask[][][] = [];
  for (const demand of demands) claimed.push(await serve(database, client, demand, rooms, around));
  return claimed;
}

async function serve(
  database: Database,
  client: ClientBase,
  demand: Demand,
  rooms: Rooms,
  around: Circumstance,
): Promise<ClaimedTask[][]> {
  const run = async (takers: readonly Taker[], spare: number) => {
    const want = withinRooms({ ...demand, takers }, rooms);
    const exchanged = await runExchange(database, client, noWrites, want, { ...around, spare });
    for (const { card } of exchanged.claimed.flat()) {
      const room = rooms.get(card.lane);
      if (room !== undefined) rooms.set(card.lane, room - 1);
    }
    return exchanged;
  };
  return withMore(await run(demand.takers, around.spare), demand.takers, (takers) => run(takers, spareMore));
}

/** Candidates for each task wanted, when the first look came back with less than there may be. */
export const spareMore = 8;
