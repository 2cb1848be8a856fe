// Transactions of several statements. Each leaves a mark in a row that belongs to its connection. Where the connection is
// lost at COMMIT, that row tells what became of it. PostgreSQL's own number of the transaction would not: after a crash it
// may be given again, and then the commit of a stranger looks like ours.

import type { ClientBase } from "pg";
import { lend, lendForTransaction } from "./connections.ts";
import type { Database } from "./database.ts";
import { type Backend, isLost, LostConnection } from "./failure.ts";
import { patiently, untilGone } from "./patience.ts";
import { backendOf, begin, commit, rollBack } from "./session.ts";
import { ask, type Statement } from "./statement.ts";

const leaveMark: Statement = {
  name: "leave_mark",
  text: `
    insert into transaction_mark (slot, mark, at)
    values ($1, $2, now())
    on conflict (slot) do update
    set mark = excluded.mark, at = excluded.at`,
};

const selectMark: Statement = {
  name: "select_mark",
  text: `
    select mark
    from transaction_mark
    where slot = $1`,
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
    if (sent !== null && (await wasCommitted(database, lost, sent))) return sent.answer;
    sent = null;
    return lendForTransaction(database.writers, async (client) => {
      try {
        const [slot, mark] = [slotOf(client, database), database.nextTicket()];
        await Promise.all([begin(client), ask(client, leaveMark, [slot, mark])]);
        const answer = await work(client);
        sent = { slot, mark, answer, backend: backendOf(client) };
        await commit(client);
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
  readonly slot: number;
  readonly mark: number;
  readonly answer: T;
  readonly backend: Backend | null;
}

const slots = new WeakMap<object, number>();

/** A number that no other connection to this database ever has. */
function slotOf(client: ClientBase, { nextTicket }: Database): number {
  const slot = slots.get(client) ?? nextTicket();
  slots.set(client, slot);
  return slot;
}

async function wasCommitted(database: Database, lost: readonly Backend[], sent: Sent<unknown>): Promise<boolean> {
  await untilGone(database.writers, lost);
  try {
    const [row] = await lend(database.writers, (client) => ask<[number]>(client, selectMark, [sent.slot]));
    return row?.[0] === sent.mark;
  } catch (error) {
    // A refusal says nothing about the transaction: the question is asked again.
    throw error instanceof LostConnection ? error : new LostConnection(error, null);
  }
}

const forgetMarks: Statement = {
  name: "forget_marks",
  text: `
    delete from transaction_mark
    where at < now() - interval '1 day'`,
};

/** Of connections that ended long ago. */
export async function pruneMarks(database: Database): Promise<void> {
  await lend(database.writers, (client) => ask(client, forgetMarks));
}
