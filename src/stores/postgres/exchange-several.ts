// Several demands, or lanes with a limit: one after the other, under the locks of those lanes, in one transaction.

import type { ClientBase } from "pg";
import type { ClaimedTask, TaskWrite } from "../../ports/records.ts";
import type { Demand, ExchangeAnswer, Taker } from "../../ports/store.ts";
import { plainArray } from "./arrays.ts";
import {
  type Circumstance,
  type Exchanged,
  nothingWanted,
  runExchange,
  spareMore,
  wasWritten,
  withinRooms,
  withMore,
} from "./claims.ts";
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

export async function exchangeSeveral(
  database: Database,
  writes: readonly TaskWrite[],
  demands: readonly Demand[],
  now: number,
): Promise<ExchangeAnswer> {
  const named = writes.map((write) => write.next.id);
  const limited = [...new Set(demands.flatMap((demand) => demand.limited))].sort((a, b) => a - b);
  let attempts = 0;
  const { answer, lessons } = await transact(database, async (client) => {
    attempts += 1;
    // What others passed over because we held it was free again for a moment.
    if (attempts > 1) database.floors.forget();
    const lessons: Lesson[] = [];
    const around = { now, ticket: database.nextTicket(), named, spare: database.flights.count };
    const settling = runExchange(database, client, writeValues(writes), nothingWanted, around);
    const rooms = limited.length === 0 ? noRooms : settling.then(() => roomsOf(client, limited));
    // Without limits no demand depends on the answer to another, so all of them are sent at once.
    const serving = { database, client, around, lessons };
    const [exchanged, claimed] = await Promise.all([settling, serveAll(serving, demands, await rooms)]);
    lessons.push(exchanged.learn);
    return { answer: { written: writes.map((write) => wasWritten(exchanged, write)), claimed }, lessons };
  });
  for (const learn of lessons) learn();
  return answer;
}

type Lesson = Exchanged["learn"];

interface Serving {
  readonly database: Database;
  readonly client: ClientBase;
  readonly around: Circumstance;
  /** What is to be learned when all is committed. */
  readonly lessons: Lesson[];
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

async function serveAll(serving: Serving, demands: readonly Demand[], rooms: Rooms): Promise<ClaimedTask[][][]> {
  if (rooms.size === 0) return Promise.all(demands.map((demand) => serve(serving, demand, rooms)));
  const claimed: ClaimedTask[][][] = [];
  for (const demand of demands) claimed.push(await serve(serving, demand, rooms));
  return claimed;
}

async function serve(
  { database, client, around, lessons }: Serving,
  demand: Demand,
  rooms: Rooms,
): Promise<ClaimedTask[][]> {
  const run = async (takers: readonly Taker[], spare: number) => {
    const want = withinRooms({ ...demand, takers }, rooms);
    const exchanged = await runExchange(database, client, noWrites, want, { ...around, spare });
    for (const { card } of exchanged.claimed.flat()) {
      const room = rooms.get(card.lane);
      if (room !== undefined) rooms.set(card.lane, room - 1);
    }
    lessons.push(exchanged.learn);
    return exchanged;
  };
  return withMore(await run(demand.takers, around.spare), demand.takers, (takers) => run(takers, spareMore));
}
