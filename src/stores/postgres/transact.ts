// Transactions of several statements. Where the connection is lost at COMMIT, the transaction's number tells what became
// of it: PostgreSQL remembers whether it was committed.

import assert from "node:assert/strict";
import type { ClientBase } from "pg";
import { backendOf, lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { type Backend, codeOf, isLost, LostConnection } from "./failure.ts";
import { patiently, untilGone } from "./patience.ts";
import { ask, type Statement } from "./statement.ts";

const transactionNumber: Statement = {
  name: "transaction_number",
  text: `
    select pg_current_xact_id()::text`,
};

const transactionFate: Statement = {
  name: "transaction_fate",
  text: `
    select pg_xact_status($1::xid8)`,
};

/**
 * `work` may run again: when another transaction was preferred, or when its connection was lost before the commit.
 * `unheard` is told with whom the connection was lost, if the call is given up and may still have been committed.
 */
export async function transact<T>(
  database: Database,
  work: (client: ClientBase) => Promise<T>,
  unheard: (backend: Backend | null) => void = () => undefined,
): Promise<T> {
  let sent: Sent<T> | null = null;
  const attempt = async (lost: readonly Backend[]): Promise<T> => {
    if (sent !== null && (await wasCommitted(database, lost, sent.number))) return sent.answer;
    sent = null;
    return lend(database.writers, async (client) => {
      try {
        const [, rows] = await Promise.all([client.query("begin"), ask<[string]>(client, transactionNumber)]);
        const answer = await work(client);
        sent = { number: rows[0]?.[0] as string, answer, backend: backendOf(client) };
        const { command } = await client.query("commit");
        assert(command === "COMMIT", "a transaction that failed is not committed");
        return answer;
      } catch (error) {
        if (!isLost(error)) {
          sent = null;
          await rollBack(client);
        }
        throw error;
      }
    });
  };
  try {
    return await patiently(database, attempt);
  } catch (error) {
    if (sent !== null) unheard((sent as Sent<T>).backend);
    throw error;
  }
}

/** A transaction whose COMMIT is on its way. */
interface Sent<T> {
  readonly number: string;
  readonly answer: T;
  readonly backend: Backend | null;
}

async function rollBack(client: ClientBase): Promise<void> {
  try {
    await client.query("rollback");
  } catch (error) {
    // A transaction whose connection is gone is rolled back already; the caller's error is the one that matters.
    if (!isLost(error)) throw error;
  }
}

const invalidParameter = "22023";

async function wasCommitted(database: Database, lost: readonly Backend[], number: string): Promise<boolean> {
  await untilGone(database.writers, lost);
  try {
    const [row] = await lend(database.writers, (client) => ask<[string | null]>(client, transactionFate, [number]));
    return row?.[0] === "committed";
  } catch (error) {
    // A server that took over without having heard of the transaction says that its number is in the future.
    if (codeOf(error) === invalidParameter) return false;
    // Any other refusal says nothing about the transaction: the question is asked again.
    throw error instanceof LostConnection ? error : new LostConnection(error, null);
  }
}
