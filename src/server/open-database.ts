// The store and the bus that a database needs, not yet started, and where its time comes from.

import { localBus } from "../buses/local/local-bus.ts";
import type { Bus } from "../ports/bus.ts";
import type { Ids } from "../ports/ids.ts";
import type { Log } from "../ports/log.ts";
import type { Random } from "../ports/random.ts";
import type { Store } from "../ports/store.ts";
import type { Conflicts } from "../stores/postgres/patience.ts";
import { sqliteStore } from "../stores/sqlite/sqlite-store.ts";
import type { Database } from "./database.ts";
import type { SystemClock } from "./system.ts";

export interface Machine {
  readonly clock: SystemClock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  /** How often, and after what pauses, a database is asked again that asks for it. */
  readonly conflicts?: Conflicts;
}

export interface OpenDatabase {
  readonly store: Store;
  readonly bus: Bus;
  /** Moves our clock by so much, to the database's; absent where the database has no clock of its own. */
  readonly adjustClock?: (byMs: number) => void;
  /** How far it has been moved from the machine's. */
  readonly offsetMs?: () => number;
}

export async function openDatabase(database: Database, machine: Machine): Promise<OpenDatabase> {
  const { log } = machine;
  if (database.kind === "sqlite") return { store: sqliteStore({ file: database.file, log }), bus: localBus(log) };
  return openPostgres(database, machine);
}

/** Loaded on use: an embedded server does without the driver. */
async function openPostgres(
  { url, listenUrl, pooler = false }: Extract<Database, { kind: "postgres" }>,
  machine: Machine,
): Promise<OpenDatabase> {
  const { clock, ids, log, conflicts } = machine;
  const [{ postgresStore }, { postgresBus }, { adjustmentOf, setByPostgres }] = await Promise.all([
    import("../stores/postgres/postgres-store.ts"),
    import("../buses/postgres/postgres-bus.ts"),
    import("./postgres-time.ts"),
  ]);
  await setByPostgres(clock, url, log);
  return {
    store: postgresStore({ url, log, clock, pooler, ...(conflicts !== undefined && { conflicts }) }),
    bus: postgresBus({ ...machine, url, listenUrl, node: ids.next() }),
    adjustClock: adjustmentOf(clock),
    offsetMs: () => clock.now() - clock.machine(),
  };
}
