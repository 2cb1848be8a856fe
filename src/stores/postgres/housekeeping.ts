// What the leader does for the database now and then: the weeks to come are made ahead of their time.

import type { Database } from "./database.ts";
import { messageOf } from "./failure.ts";
import { makeWeeks } from "./partitions.ts";
import { transact } from "./transact.ts";

export interface Housekeeping {
  /** Returns at once. */
  look(): void;
  stop(): Promise<void>;
}

const everyMs = 3_600_000;

export function housekeeping(database: Database): Housekeeping {
  let lookedAt = database.clock.now();
  let working: Promise<void> = Promise.resolve();
  return {
    look() {
      const now = database.clock.now();
      if (now - lookedAt < everyMs) return;
      lookedAt = now;
      working = working.then(() => work(database, now));
    },
    stop: () => working,
  };
}

async function work(database: Database, now: number): Promise<void> {
  try {
    const made = await transact(database, async (client) => {
      // Nobody is to wait for us: if someone reads the table we need, the next hour will do.
      await client.query("set local lock_timeout = '1s'");
      return makeWeeks(client, now);
    });
    if (made.length > 0) database.log.info("Made room for the weeks to come", { weeks: made.map((week) => week.name) });
  } catch (error) {
    database.log.warn("Could not make room for the weeks to come", { error: messageOf(error) });
  }
}
