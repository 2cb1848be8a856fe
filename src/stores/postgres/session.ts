// What a connection must be told before our statements mean what we think: where the tables are, how to plan, when to
// give up. A connection of our own is told once. Behind a pooler in transaction mode nothing outlives a transaction and
// each may run in another server process, so every transaction is told anew, and says who runs it.

import assert from "node:assert/strict";
import type { ClientBase } from "pg";
import { type Backend, isLost } from "./failure.ts";
import { neverName } from "./statement.ts";

export interface Session {
  readonly schema: string;
  readonly settings: Readonly<Record<string, string>>;
}

// An answer that says "committed" must mean it, whatever the server's default is. A server process that can, looks for
// its client now and then: one that waits for a lock would not notice that the client has gone.
const tellSession = `
  select
    set_config('search_path', quote_ident($1), $4),
    set_config(
      'synchronous_commit',
      case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end,
      $4
    ),
    case when version() like '%linux%' then set_config('client_connection_check_interval', '2s', $4) end,
    (select count(set_config(name, value, $4)) from unnest($2::text[], $3::text[]) setting (name, value)),
    pid,
    backend_start::text,
    now()::text
  from pg_stat_get_activity(pg_backend_pid())`;

const pooled = new WeakMap<object, Session>();
const backends = new WeakMap<object, Backend>();

/** A connection of our own, told for as long as it lives. */
export async function prepare(client: ClientBase, session: Session): Promise<void> {
  const { pid, startedAt } = await tell(client, session, "session");
  backends.set(client, { pid, startedAt, began: null });
}

/** A connection to a pooler. */
export function preparePooled(client: ClientBase, session: Session): void {
  neverName(client);
  pooled.set(client, session);
}

export function isPooled(client: ClientBase): boolean {
  return pooled.has(client);
}

/** The server process at the other end; behind a pooler, that of the last transaction that was begun. */
export function backendOf(client: ClientBase): Backend | null {
  return backends.get(client) ?? null;
}

/** What follows may be sent at once. */
export async function begin(client: ClientBase): Promise<void> {
  const session = pooled.get(client);
  if (session === undefined) {
    await client.query("begin");
    return;
  }
  backends.delete(client);
  const begun = client.query("begin isolation level read committed");
  const [backend] = await Promise.all([tell(client, session, "transaction"), begun]);
  backends.set(client, backend);
}

export async function commit(client: ClientBase): Promise<void> {
  const { command } = await client.query("commit");
  assert(command === "COMMIT", "a transaction that failed is not committed");
}

export async function rollBack(client: ClientBase): Promise<void> {
  try {
    await client.query("rollback");
  } catch (error) {
    // A transaction whose connection is gone is rolled back already; the caller's error is the one that matters.
    if (!isLost(error)) throw error;
  }
}

async function tell(
  client: ClientBase,
  { schema, settings }: Session,
  until: "session" | "transaction",
): Promise<Backend> {
  const values = [schema, Object.keys(settings), Object.values(settings), until === "transaction"];
  const { rows } = await client.query<unknown[]>({ text: tellSession, values, rowMode: "array" });
  const [, , , , pid, startedAt, began] = rows[0] as [string, string, string, number, number, string, string];
  return { pid, startedAt, began };
}
