import type { ClaimedTask, TaskWrite } from "../../ports/records.ts";
import type { Demand, ExchangeAnswer } from "../../ports/store.ts";
import { type Claimed, claimForGood, nothingWanted, spareMore, unlimited, type Want, withMore } from "./claims.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { exchangeSeveral } from "./exchange-several.ts";
import { LostConnection, messageOf } from "./failure.ts";
import { patiently } from "./patience.ts";
import { settleAndClaim } from "./settle-and-claim.ts";
import { bringBack, inHistory } from "./strays.ts";

export async function exchange(
  database: Database,
  writes: readonly TaskWrite[],
  demands: readonly Demand[],
  now: number,
): Promise<ExchangeAnswer> {
  if (writes.length === 0 && demands.length === 0) return { written: [], claimed: [] };
  database.flights.count += 1;
  try {
    const [demand] = demands;
    if (demands.length > 1 || (demand?.limited.length ?? 0) > 0) {
      return await exchangeSeveral(database, writes, demands, now);
    }
    const want = demand === undefined ? nothingWanted : unlimited(demand);
    const { written, claimed } = await inOneCommit(database, writes, want, now);
    return { written, claimed: demand === undefined ? [] : [claimed] };
  } finally {
    database.flights.count -= 1;
  }
}

interface Answer {
  readonly written: boolean[];
  readonly claimed: ClaimedTask[][];
}

/** If the answer is lost, the rows tell what became of it. */
async function inOneCommit(database: Database, writes: readonly TaskWrite[], want: Want, now: number): Promise<Answer> {
  const named = writes.map((write) => write.next.id);
  const workers = want.takers.map((taker) => taker.worker);
  /** What is known of each write; undefined until it is. */
  let fates: (boolean | undefined)[] = writes.map(() => undefined);
  let unanswered: number | null = null;
  const { settled, found } = await patiently(database, async () => {
    const claimedUnseen = database.strays.size > 0 ? await bringBack(database) : nobody;
    if (unanswered !== null) fates = await fatesOf(database, writes, fates, claimedUnseen.has(unanswered));
    unanswered = null;
    const left = writes.filter((_, index) => fates[index] === undefined);
    const ticket = database.nextTicket();
    const around = { now, ticket, named, spare: database.flights.count };
    try {
      return await lend(database.writers, (client) => settleAndClaim(database, client, left, want, around));
    } catch (error) {
      // Whoever was passed over because we held it may be free again.
      database.floors.forget();
      if (error instanceof LostConnection && error.backend !== null) {
        unanswered = ticket;
        database.strays.add({ ticket, backend: error.backend, workers, now });
      }
      throw error;
    }
  });
  settled.learn();
  found.learn();
  const written = writes.map((write, index) => fates[index] ?? settled.wasWritten(write));
  const claimed = await withMore(found, want.takers, (takers) => claimMore(database, named, { ...want, takers }, now));
  return { written, claimed };
}

const nobody: ReadonlySet<number> = new Set();

/** Once one trace of the exchange is found, it was committed, and a write that left none had lost its comparison. */
async function fatesOf(
  database: Database,
  writes: readonly TaskWrite[],
  before: readonly (boolean | undefined)[],
  committed: boolean,
): Promise<(boolean | undefined)[]> {
  const found = await inHistory(database, writes);
  const isKnown = committed || found.some((there, index) => there && before[index] === undefined);
  // A write without an event leaves no trace of its own, but may safely be made twice.
  return writes.map((write, index) => before[index] ?? (isKnown && write.events.length > 0 ? found[index] : undefined));
}

/** What was claimed already is committed: if this fails, that is what there is. */
async function claimMore(
  database: Database,
  named: readonly string[],
  want: Want,
  now: number,
): Promise<Pick<Claimed, "claimed" | "mayHaveMore">> {
  const ticket = database.nextTicket();
  const around = { now, ticket, named, spare: spareMore };
  try {
    const found = await lend(database.writers, (client) => claimForGood(database, client, want, around));
    found.learn();
    return found;
  } catch (error) {
    const workers = want.takers.map((taker) => taker.worker);
    const backend = error instanceof LostConnection ? error.backend : null;
    if (backend !== null) database.strays.add({ ticket, backend, workers, now });
    database.log.warn("A second look for tasks failed", { error: messageOf(error) });
    return { claimed: [], mayHaveMore: false };
  }
}
