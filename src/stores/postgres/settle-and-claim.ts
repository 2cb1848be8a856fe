// Settling and claiming in one commit. Each is a statement of its own, so that the search for tasks sees what was
// committed until it begins: one that shared a statement with the writes before it would wait at, and lock, every task
// that another exchange took in the meantime. All is sent at once, so that it costs one journey.

import assert from "node:assert/strict";
import type { Client, ClientBase, QueryResult } from "pg";
import type { TaskWrite } from "../../ports/records.ts";
import { type Circumstance, type Claimed, claimForGood, nothingFound, type Want } from "./claims.ts";
import type { Database } from "./database.ts";
import { isLost } from "./failure.ts";
import { isPooled } from "./session.ts";
import { nothingSettled, type Settled, settle } from "./settle.ts";

export interface Exchanged {
  readonly settled: Settled;
  readonly found: Claimed;
}

export async function settleAndClaim(
  database: Database,
  client: ClientBase,
  writes: readonly TaskWrite[],
  want: Want,
  around: Circumstance,
): Promise<Exchanged> {
  if (want.takers.length === 0) return { settled: await settle(database, client, writes), found: nothingFound };
  if (writes.length === 0)
    return { settled: nothingSettled, found: await claimForGood(database, client, want, around) };
  // Behind a pooler the transaction is there already, and whoever lent the connection ends it.
  const ours = (word: string) => (isPooled(client) ? Promise.resolve(committed) : client.query(word));
  const sent = inOnePiece(
    client,
    () =>
      [
        ours("begin"),
        settle(database, client, writes),
        claimForGood(database, client, want, around),
        ours("commit"),
      ] as const,
  );
  const [begun, settling, claiming, committing] = await Promise.allSettled(sent);
  // Once one statement has failed, the others fail because of it; but where the connection was lost, that is what counts.
  const failures = [begun, settling, claiming, committing].filter((each) => each.status === "rejected");
  const [failure] = failures.filter(({ reason }) => isLost(reason)).concat(failures);
  if (failure !== undefined) throw failure.reason;
  assert(
    fulfilled<Pick<QueryResult, "command">>(committing).command === "COMMIT",
    "a transaction that failed is not committed",
  );
  return { settled: fulfilled(settling), found: fulfilled(claiming) };
}

const committed: Pick<QueryResult, "command"> = { command: "COMMIT" };

/** What is sent meanwhile leaves with one call of the system, and wakes the other side once. */
function inOnePiece<T>(client: ClientBase, send: () => T): T {
  const { stream } = (client as Client).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

function fulfilled<T>(result: PromiseSettledResult<T>): T {
  assert(result.status === "fulfilled");
  return result.value;
}
