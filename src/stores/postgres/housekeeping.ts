// What is done for the database at the start, and by the leader now and then: the weeks to come are made ahead of their
// time. A week that is missing costs nothing at once, because its tasks find a place in the default partition. Marks of
// connections that are long gone are forgotten.

import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "./database.ts";
import { messageOf } from "./failure.ts";
import { lockSchema } from "./migrate.ts";
import { makeWeeks } from "./partitions.ts";
import { ask } from "./statement.ts";
import { pruneMarks, transact } from "./transact.ts";

export interface Housekeeping {
  work(): Promise<void>;
  /** Works if the last time was long ago. Returns at once. */
  look(): void;
  stop(): Promise<void>;
}

const everyMs = 3_600_000;

export function housekeeping(database: Database): Housekeeping {
  let workedAt = Number.NEGATIVE_INFINITY;
  let working: Promise<void> = Promise.resolve();
  const work = () => {
    workedAt = database.clock.now();
    working = working.then(() => makeRoom(database)).then(() => forgetOldMarks(database));
    return working;
  };
  return {
    work,
    look() {
      if (database.clock.now() - workedAt >= everyMs) void work();
    },
    stop: () => working,
  };
}

const triesMax = 20;
const pauseMs = 100;

async function makeRoom(database: Database): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryToMakeRoom(database);
    } catch (error) {
      if (tries === triesMax) {
        database.log.warn("Could not make room for the weeks to come", { error: messageOf(error) });
        return;
      }
      await pause(pauseMs);
    }
  }
}

async function forgetOldMarks(database: Database): Promise<void> {
  try {
    await pruneMarks(database);
  } catch (error) {
    database.log.warn("Could not forget the marks of old connections", { error: messageOf(error) });
  }
}

/** Everybody waits for us while we wait for a table, so we do not wait long. */
async function tryToMakeRoom(database: Database): Promise<void> {
  const made = await transact(database, async (client) => {
    await client.query("set local lock_timeout = '200ms'");
    await ask(client, lockSchema, [database.schema]);
    return makeWeeks(client, database.clock.now());
  });
  if (made.length > 0) database.log.info("Made room for the weeks to come", { weeks: made.map((week) => week.name) });
}
