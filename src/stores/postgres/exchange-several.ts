// Several demands, or lanes with a limit: one after the other, under the locks of those lanes, in one transaction.

import type { ClientBase } from "pg";
import type { ClaimedTask, TaskWrite } from "../../ports/records.ts";
import type { Demand, ExchangeAnswer } from "../../ports/store.ts";
import { type Circumstance, type Claimed, claim, spareMore, withinRooms, withMore } from "./claims.ts";
import type { Database } from "./database.ts";
import { lockedRooms } from "./lane-rooms.ts";
import { patiently } from "./patience.ts";
import { settle } from "./settle.ts";
import { bringBack } from "./strays.ts";
import { transact } from "./transact.ts";

export async function exchangeSeveral(
  database: Database,
  writes: readonly TaskWrite[],
  demands: readonly Demand[],
  now: number,
): Promise<ExchangeAnswer> {
  if (database.strays.size > 0) await patiently(database, () => bringBack(database));
  try {
    return await exchangeInTurn(database, writes, demands, now, "all at once");
  } catch (error) {
    if (!(error instanceof OutOfTurn)) throw error;
    return exchangeInTurn(database, writes, demands, now, "one by one");
  }
}

/** A demand would have to look again, after those behind it have looked. */
class OutOfTurn extends Error {}

type Turns = "all at once" | "one by one";

async function exchangeInTurn(
  database: Database,
  writes: readonly TaskWrite[],
  demands: readonly Demand[],
  now: number,
  turns: Turns,
): Promise<ExchangeAnswer> {
  const named = writes.map((write) => write.next.id);
  const workers = demands.flatMap(({ takers }) => takers.map((taker) => taker.worker));
  const limited = demands.flatMap((demand) => demand.limited);
  let attempts = 0;
  let ticket = 0;
  const work = async (client: ClientBase) => {
    attempts += 1;
    ticket = database.nextTicket();
    // What others passed over because we held it was free again for a moment.
    if (attempts > 1) database.floors.forget();
    const around = { now, ticket, named, spare: database.flights.count };
    const settling = settle(database, client, writes);
    const rooms = limited.length === 0 ? noRooms : settling.then(() => lockedRooms(client, limited));
    const serving: Serving = { database, client, around, lessons: [] };
    const [settled, claimed] = await Promise.all([settling, serveAll(serving, demands, await rooms, turns)]);
    const written = writes.map(settled.wasWritten);
    return { answer: { written, claimed }, lessons: [settled.learn, ...serving.lessons] };
  };
  const { answer, lessons } = await transact(database, work, (backend) =>
    database.strays.add({ ticket, backend, workers, now }),
  );
  for (const learn of lessons) learn();
  return answer;
}

type Lesson = Claimed["learn"];

interface Serving {
  readonly database: Database;
  readonly client: ClientBase;
  readonly around: Circumstance;
  /** What is to be learned when all is committed. */
  readonly lessons: Lesson[];
}

type Rooms = Map<number, number>;

const noRooms: Rooms = new Map();

/** Without limits no demand depends on the answer to another, so all of them can be sent at once. */
async function serveAll(
  serving: Serving,
  demands: readonly Demand[],
  rooms: Rooms,
  turns: Turns,
): Promise<ClaimedTask[][][]> {
  if (rooms.size === 0 && turns === "all at once") {
    const served = await Promise.all(demands.map((demand) => look(serving, demand, rooms)));
    if (served.slice(0, -1).some((exchanged) => exchanged.mayHaveMore)) throw new OutOfTurn();
    const last = await lookOn(serving, demands.at(-1) as Demand, rooms, served.at(-1) as Claimed);
    return [...served.slice(0, -1).map((exchanged) => exchanged.claimed), last];
  }
  const claimed: ClaimedTask[][][] = [];
  for (const demand of demands) {
    claimed.push(await lookOn(serving, demand, rooms, await look(serving, demand, rooms)));
  }
  return claimed;
}

function lookOn(serving: Serving, demand: Demand, rooms: Rooms, first: Claimed): Promise<ClaimedTask[][]> {
  return withMore(first, demand.takers, (takers) => look(serving, { ...demand, takers }, rooms, spareMore));
}

async function look(
  { database, client, around, lessons }: Serving,
  demand: Demand,
  rooms: Rooms,
  spare = around.spare,
): Promise<Claimed> {
  const want = withinRooms(demand, rooms);
  const found = await claim(database, client, want, { ...around, spare });
  for (const { card } of found.claimed.flat()) {
    const room = rooms.get(card.lane);
    if (room !== undefined) rooms.set(card.lane, room - 1);
  }
  lessons.push(found.learn);
  return found;
}
