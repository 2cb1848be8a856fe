// The store for any number of servers: PostgreSQL 14 or later. What it promises is in ports/store.ts; how it keeps the
// promise when connections are lost is in patience.ts, transact.ts and strays.ts.

import { Client } from "pg";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store, StoreInfo } from "../../ports/store.ts";
import { amend } from "./amend.ts";
import { append } from "./append.ts";
import { beat } from "./beat.ts";
import { cardsFrom } from "./cards-from.ts";
import { type Connections, connections, lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { exchange } from "./exchange.ts";
import { isLost, LostConnection } from "./failure.ts";
import { find } from "./find.ts";
import { floors } from "./floors.ts";
import { givingBack } from "./giving-back.ts";
import { housekeeping } from "./housekeeping.ts";
import { confirm } from "./messages.ts";
import { migrate } from "./migrate.ts";
import { type Conflicts, patiently, usualConflicts } from "./patience.ts";
import { promote } from "./promote.ts";
import { prune } from "./prune.ts";
import { pulse } from "./pulse.ts";
import { read } from "./read.ts";
import { results } from "./results.ts";
import { ask, type Statement } from "./statement.ts";
import { statistics } from "./statistics.ts";
import { submit } from "./submit.ts";

export interface PostgresStoreOptions {
  readonly url: string;
  readonly log: Log;
  readonly clock: Clock;
  /** The URL leads to a pooler in transaction mode, such as PgBouncer: nothing is kept in a session. */
  readonly pooler?: boolean;
  /** Connections in all. */
  readonly poolMax?: number;
  /** How many exchanges may be under way at once. */
  readonly width?: number;
  /** Where the tables are. */
  readonly schema?: string;
  /** How long a call waits for a database that is away. */
  readonly waitMs?: number;
  readonly conflicts?: Conflicts;
}

const selectMeta: Statement = {
  name: "select_meta",
  text: `
    select secret, nextval('store_number')
    from meta`,
};

export function postgresStore(options: PostgresStoreOptions): Store {
  const { url, log, clock, poolMax = 16, width = 2, schema = "leadhand", waitMs = 10_000, pooler = false } = options;
  const { conflicts = usualConflicts } = options;
  let open: Connections | null = null;
  let ticket = 0;
  let stopped = false;
  const pools = (): Connections => {
    if (stopped) throw new Problem("stopping", "The store was stopped");
    open ??= connections({ url, schema, poolMax, width, log, pooler });
    return open;
  };
  const database: Database = {
    ...{ schema, clock, log, waitMs, conflicts },
    get writers() {
      return pools().writers;
    },
    get lookers() {
      return pools().lookers;
    },
    get readers() {
      return pools().readers;
    },
    get pulses() {
      return pools().pulses;
    },
    nextTicket: () => ++ticket,
    flights: { count: 0 },
    strays: new Set(),
    cardsFrom: cardsFrom(),
    floors: floors(),
  };
  const house = housekeeping(database);
  const unheard = givingBack(database);

  async function start(): Promise<StoreInfo> {
    await patiently(database, () => bringUpToDate(url, schema, log));
    stopped = false;
    const [row] = await patiently(database, () =>
      lend(database.writers, (client) => ask<[string, number]>(client, selectMeta)),
    );
    const [secret, number] = row as [string, number];
    ticket = number * 2 ** 32;
    await house.work();
    return { kind: "postgres", secret, width, shared: true };
  }

  async function stop(): Promise<void> {
    await house.stop();
    await unheard.stop();
    stopped = true;
    const closing = open;
    open = null;
    await closing?.end();
  }

  return {
    start,
    stop,
    submit: (calls) => submit(database, calls),
    exchange: (writes, demands, now) => exchange(database, writes, demands, now),
    amend: (scope, decide) => amend(database, scope, decide),
    append: (lines) => append(database, lines),
    beat: (beats) => beat(database, beats),
    async pulse(request) {
      const answer = await pulse(database, request);
      if (answer.leader) house.look();
      unheard.look();
      return answer;
    },
    confirm: (messages, at) => confirm(database, messages, at),
    promote: (now, limit) => promote(database, now, limit),
    prune: (slice) => prune(database, slice),
    find: (kind, query) => find(database, kind, query),
    read: (kind, query) => read(database, kind, query),
    results: results(database),
    statistics: statistics(database),
  };
}

async function bringUpToDate(url: string, schema: string, log: Log): Promise<void> {
  const client = new Client({
    connectionString: url,
    fallback_application_name: "leadhand",
    connectionTimeoutMillis: 5_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await migrate(client, schema, log);
  } catch (error) {
    throw isLost(error) ? new LostConnection(error, null) : error;
  } finally {
    await client.end();
  }
}
