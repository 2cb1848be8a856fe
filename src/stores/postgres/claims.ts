// A demand as parameters of the claim statement, and its rows as claimed tasks.

import type { ClientBase } from "pg";
import { policyDueMs } from "../../core/deadline.ts";
import type { Children } from "../../core/family.ts";
import type { ClaimedTask } from "../../ports/records.ts";
import type { Demand, Taker } from "../../ports/store.ts";
import { plainArray, textArray } from "./arrays.ts";
import {
  type ClaimRow,
  type ClaimValues,
  claimHeads,
  claimLanes,
  claimOneLane,
  claimValuesInOrder,
  type SummaryRow,
} from "./claim-statement.ts";
import type { Database } from "./database.ts";
import { isLost, messageOf } from "./failure.ts";
import { type CardTuple, cardColumns, cardOf } from "./rows.ts";
import { ask, type Statement } from "./statement.ts";

const selectCards: Statement = {
  name: "select_cards",
  text: `
    select ${cardColumns}, t.payload
    from unnest($1::uuid[]) n (id)
    join task t on t.id = n.id`,
};

/** What is wanted from which lanes; `rooms` says how many tasks each lane may give. */
export interface Want {
  readonly lanes: readonly number[];
  readonly rooms: readonly number[];
  readonly takers: readonly Taker[];
}

export const nothingWanted: Want = { lanes: [], rooms: [], takers: [] };

const roomMax = 2_147_483_647;

export function unlimited({ lanes, takers }: Demand): Want {
  const distinct = [...new Set(lanes)];
  return { lanes: distinct, rooms: distinct.map(() => roomMax), takers };
}

/** `rooms` has those lanes that have a limit. */
export function withinRooms({ lanes, limited, takers }: Demand, rooms: ReadonlyMap<number, number>): Want {
  const distinct = [...new Set(lanes)];
  const room = (lane: number) => (limited.includes(lane) ? Math.max(0, rooms.get(lane) ?? roomMax) : roomMax);
  return { lanes: distinct, rooms: distinct.map(room), takers };
}

export interface Circumstance {
  readonly now: number;
  readonly ticket: number;
  /** Tasks that are not to be handed out. */
  readonly named: readonly string[];
  /** How many times as many candidates as tasks wanted. */
  readonly spare: number;
}

export interface Claimed {
  /** For each taker: what it got. */
  readonly claimed: ClaimedTask[][];
  /** Whether there may be more for those who got less than they wanted. */
  readonly mayHaveMore: boolean;
  /** To be called when it is committed. */
  learn(): void;
}

export const nothingFound: Claimed = { claimed: [], mayHaveMore: false, learn: () => undefined };

export async function claim(
  database: Database,
  client: ClientBase,
  want: Want,
  around: Circumstance,
): Promise<Claimed> {
  const taken = await take(database, client, want, around);
  return taken.claimed(await missingCards(database, client, taken.rows, around.now));
}

/**
 * Where the claim is committed before older cards are read. If they cannot be read, nothing was found, but whatever was
 * settled with it stands; what was taken is given back.
 */
export async function claimForGood(
  database: Database,
  client: ClientBase,
  want: Want,
  around: Circumstance,
): Promise<Claimed> {
  const taken = await take(database, client, want, around);
  try {
    return taken.claimed(await missingCards(database, client, taken.rows, around.now));
  } catch (error) {
    if (isLost(error)) throw error;
    const workers = want.takers.map((taker) => taker.worker);
    database.strays.add({ ticket: around.ticket, backend: null, workers, now: around.now });
    database.log.warn("The cards of claimed tasks could not be read", { error: messageOf(error) });
    return { claimed: want.takers.map(() => []), mayHaveMore: false, learn: () => database.floors.forget() };
  }
}

interface Taken {
  readonly rows: readonly ClaimRow[];
  /** With the cards that were not in the rows. */
  claimed(cards: ReadonlyMap<string, Card>): Claimed;
}

async function take(
  database: Database,
  client: ClientBase,
  want: Want,
  { now, ticket, named, spare }: Circumstance,
): Promise<Taken> {
  const floor = database.floors.under(want.lanes, now, spare >= spareMore ? "beginning" : "floor");
  const values: ClaimValues = {
    ...wantValues(want, spare),
    ...{ named: plainArray(named), now, ticket, cardsFrom: database.cardsFrom.at(now), floors: floor.places },
  };
  const statement = statementFor(want, values);
  const [summary, ...found] = await ask<SummaryRow | ClaimRow>(client, statement, claimValuesInOrder(values));
  const [, slots, mayHaveMore] = summary as SummaryRow;
  const rows = (found as readonly ClaimRow[]).toSorted((a, b) => a[0] - b[0]);
  return {
    rows,
    claimed(cards) {
      const claimed = want.takers.map((): ClaimedTask[] => []);
      for (const row of rows) {
        const taker = want.takers[row[1] - 1] as Taker;
        claimed[row[1] - 1]?.push(claimedTask(row, taker, now, cards.get(row[8])));
      }
      return {
        claimed,
        mayHaveMore: rows.length < slots && (mayHaveMore === 1 || floor.isUsed),
        learn: () => floor.raise(claimed),
      };
    },
  };
}

function statementFor({ lanes }: Want, { depth, window }: ClaimValues): Statement {
  if (lanes.length <= 1) return claimOneLane;
  return depth < window ? claimLanes : claimHeads;
}

type Claims = Pick<Claimed, "claimed" | "mayHaveMore">;

/** Others may have held what was looked at first; then there may be more further back. */
export async function withMore(first: Claims, takers: readonly Taker[], more: More): Promise<ClaimedTask[][]> {
  let { claimed, mayHaveMore } = first;
  for (let times = 0; mayHaveMore && times < timesMax; times += 1) {
    const got = claimed;
    const next = await more(takers.map((taker, index) => ({ ...taker, limit: taker.limit - countOf(got[index]) })));
    mayHaveMore = next.mayHaveMore;
    claimed = got.map((tasks, index) => [...tasks, ...(next.claimed[index] ?? [])]);
  }
  return claimed;
}

type More = (takers: readonly Taker[]) => Promise<Claims>;

const timesMax = 4;

/** Candidates for each task wanted, when the first look came back with less than there may be. */
export const spareMore = 8;

function countOf(tasks: readonly unknown[] | undefined): number {
  return tasks?.length ?? 0;
}

type WantValues = Pick<
  ClaimValues,
  "lanes" | "rooms" | "depth" | "window" | "takers" | "limits" | "assigns" | "dueMs" | "leaseMs"
>;

function wantValues({ lanes, rooms, takers }: Want, spare: number): WantValues {
  const window = spare * takers.reduce((sum, taker) => sum + taker.limit, 0);
  return {
    lanes: plainArray(lanes),
    rooms: plainArray(rooms),
    // One lane is asked for all; of many, each gives twice its share, and those that are at the head give more.
    depth: lanes.length <= 1 ? window : Math.min(window, Math.ceil((2 * window) / lanes.length)),
    window,
    takers: textArray(takers.map((taker) => taker.worker)),
    limits: plainArray(takers.map((taker) => taker.limit)),
    assigns: plainArray(takers.map((taker) => taker.assign)),
    dueMs: plainArray(takers.map((taker) => taker.dueMs)),
    leaseMs: plainArray(takers.map((taker) => taker.leaseMs)),
  };
}

type Card = readonly [...CardTuple, payload: string];

/** The cards of tasks that are older than those read along. */
async function missingCards(
  database: Database,
  client: ClientBase,
  claims: readonly ClaimRow[],
  now: number,
): Promise<ReadonlyMap<string, Card>> {
  const missing = claims.filter((row) => row[9] === null).map((row) => row[8]);
  if (missing.length === 0) return noCards;
  for (const id of missing) database.cardsFrom.reach(id, now);
  const cards = await ask<Card>(client, selectCards, [plainArray(missing)]);
  return new Map(cards.map((card) => [card[0], card]));
}

const noCards: ReadonlyMap<string, Card> = new Map();

/** Mirrors "claim" and "assign" of core/task.ts, as the statement does. */
function claimedTask(row: ClaimRow, taker: Taker, now: number, apart: Card | undefined): ClaimedTask {
  const card = cardOf((apart === undefined ? row.slice(8, 19) : apart.slice(0, 11)) as unknown as CardTuple);
  const dueMs = Math.min(taker.dueMs ?? Number.POSITIVE_INFINITY, policyDueMs(card.policy) ?? Number.POSITIVE_INFINITY);
  return {
    card,
    payload: apart === undefined ? row[19] : apart[11],
    row: {
      id: card.id,
      state: taker.assign ? "running" : "claimed",
      version: row[2],
      attempt: row[3],
      failures: row[4],
      losses: row[7],
      worker: taker.worker,
      runAt: null,
      claimedAt: now,
      startedAt: taker.assign ? now : null,
      leasedUntil: taker.leaseMs === null ? null : now + taker.leaseMs,
      dueAt: dueMs === Number.POSITIVE_INFINITY ? null : now + dueMs,
      activeAt: now,
      progress: null,
      children: row[6] === null ? null : (JSON.parse(row[6]) as Children),
      checkpoint: row[5],
    },
  };
}
