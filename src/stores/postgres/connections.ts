// Pools of their own, so that nobody waits for a question of another kind. Writers and lookers run short statements on a
// few rows by their keys: planned once and for any statistics, as nested loops over indexes. Readers answer questions of
// any shape, and plan them. The pulse has a connection to itself: a server whose writers all wait for what a frozen one
// has locked must still be able to take over from it.

import { Pool, type PoolClient, type PoolConfig } from "pg";
import type { Log } from "../../ports/log.ts";
import { isLost, LostConnection, messageOf } from "./failure.ts";
import { backendOf, begin, commit, isPooled, prepare, preparePooled, rollBack } from "./session.ts";
import { restored } from "./text.ts";

export interface Connections {
  readonly writers: Pool;
  readonly lookers: Pool;
  readonly readers: Pool;
  readonly pulses: Pool;
  end(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly schema: string;
  readonly poolMax: number;
  readonly width: number;
  readonly log: Log;
  /** The URL leads to a pooler in transaction mode. */
  readonly pooler: boolean;
}

const everywhere = {
  default_transaction_isolation: "read committed",
  client_min_messages: "warning",
  // A server that froze in the middle of a transaction holds its locks no longer than this, which is less than its lease
  // of leadership: whoever takes over from it can work.
  idle_in_transaction_session_timeout: "4s",
  jit: "off",
};

/**
 * A statement on a few rows by their keys is a nested loop over indexes, whatever the statistics of the minute say: a
 * plan made for an empty table, or for one that grew since, would otherwise cost a hundred times as much.
 */
export const keyedSettings = {
  ...everywhere,
  plan_cache_mode: "force_generic_plan",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_sort: "off",
};

const readerSettings = { ...everywhere, plan_cache_mode: "force_custom_plan", statement_timeout: "60s" };

/** The longest an answer may take before the connection counts as lost. */
const answerWithinMs = 30_000;

export function connections(options: ConnectionOptions): Connections {
  // Claims of a hundred are slower from sixteen connections than from four, so writers are few.
  const writersMax = Math.max(1, Math.min(options.width + 4, options.poolMax - 3));
  const lookersMax = Math.max(1, Math.floor((options.poolMax - 1 - writersMax) / 2));
  const readersMax = Math.max(1, options.poolMax - 1 - writersMax - lookersMax);
  const writers = openPool(options, "writer", writersMax, keyedSettings);
  const lookers = openPool(options, "looker", lookersMax, keyedSettings);
  const readers = openPool(options, "reader", readersMax, readerSettings);
  const pulses = openPool(options, "pulse", 1, keyedSettings);
  const end = () => Promise.all([writers, lookers, readers, pulses].map((pool) => pool.end())).then(() => undefined);
  return { writers, lookers, readers, pulses, end };
}

function openPool(options: ConnectionOptions, role: string, max: number, settings: Record<string, string>): Pool {
  const { url, schema, log } = options;
  const config: PoolConfig = {
    connectionString: url,
    fallback_application_name: `leadhand ${role}`,
    max,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 300_000,
    query_timeout: role === "reader" ? 3 * answerWithinMs : answerWithinMs,
    types: { getTypeParser: (type: number) => parsers.get(type) ?? asText },
    onConnect: (client) =>
      options.pooler ? preparePooled(client, { schema, settings }) : prepare(client, { schema, settings }),
  };
  const pool = new Pool(config);
  const note = (error: Error) => log.warn("A connection to PostgreSQL failed", { role, error: messageOf(error) });
  pool.on("error", note);
  // Without a listener of its own, a connection that fails while in use would end the process.
  pool.on("connect", (client) => client.on("error", note));
  return pool;
}

const asText = (text: string): string => text;

/** By type: integers and times are numbers, of which none is beyond 2^53. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"],
  [17, (text) => Buffer.from(text.slice(2), "hex")],
  [20, Number],
  [21, Number],
  [23, Number],
  [25, restored],
]);

/**
 * Lends a connection to `work`, whose statements are committed one by one; behind a pooler all together, once it is done.
 * Where the connection was lost, says with whom we spoke.
 */
export function lend<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return lendForTransaction(pool, (client) => (isPooled(client) ? inTransaction(client, work) : work(client)));
}

/** Lends a connection to `work`, which begins and ends its transactions itself. */
export async function lendForTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  try {
    const answer = await work(client);
    client.release();
    return answer;
  } catch (error) {
    const lost = isLost(error);
    client.release(lost);
    throw lost ? new LostConnection(error, backendOf(client)) : error;
  }
}

async function inTransaction<T>(client: PoolClient, work: (client: PoolClient) => Promise<T>): Promise<T> {
  try {
    const begun = begin(client);
    const [answer] = await Promise.all([work(client), begun]);
    await commit(client);
    return answer;
  } catch (error) {
    if (!isLost(error)) await rollBack(client);
    throw error;
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw isLost(error) ? new LostConnection(error, null) : error;
  }
}
