// What a server stands on: time, ids, chance and a database. The engine and the doors are the same on every foundation.

import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Log } from "../ports/log.ts";
import type { Random } from "../ports/random.ts";
import type { Store } from "../ports/store.ts";
import { ensureAdminToken } from "./auth/admin-token.ts";
import { auditAs } from "./auth/tokens.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { databaseName, databaseOf } from "./database.ts";
import type { LifeLine } from "./life-line.ts";
import { type OpenDatabase, openDatabase } from "./open-database.ts";
import type { Config } from "./settings/settings.ts";
import { type SystemClock, systemIds, systemRandom, systemSecret } from "./system.ts";

export interface Foundation {
  /** The time by which tasks, workers and tokens live. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  /** What people call the database. */
  readonly database: string;
  /** The store is not started yet. What else has begun is ended by the life line. */
  open(life: LifeLine): Promise<OpenDatabase>;
  /** Called when the engine runs: sees to it that somebody may come in. */
  admit(store: Store): Promise<void>;
}

export interface FoundationParts {
  readonly config: Config;
  /** Of the machine. */
  readonly clock: SystemClock;
  readonly log: Log;
}

/** The real one: the machine's time and chance, the database that the settings name, the token in the data directory. */
export function systemFoundation({ config, clock, log }: FoundationParts): Foundation {
  const database = databaseOf(config);
  const machine = { clock, ids: systemIds(clock), random: systemRandom() };
  return {
    ...machine,
    database: databaseName(database),
    async open(life) {
      if (database.kind === "sqlite") await makeDataDirectory(config.data);
      const conflicts = { attempts: config.claimMaxAttempts, baseMs: config.claimBaseDelayMs };
      const opened = await openDatabase(database, { ...machine, log, conflicts });
      life.add(keepTime(clock, opened));
      return opened;
    },
    admit: (store) => {
      const keeper = { store, clock, secret: systemSecret, audit: auditAs("server", machine) };
      return ensureAdminToken({ ...keeper, log, dataDirectory: config.data });
    },
  };
}

const catchUpMs = 1_000;

/** Where the database has no clock of its own, ours has to notice by itself that the machine has slept. */
function keepTime(clock: SystemClock, { adjustClock }: OpenDatabase): () => void {
  if (adjustClock !== undefined) return () => {};
  const timer = setInterval(() => clock.catchUp(), catchUpMs);
  return () => clearInterval(timer);
}
