// What nobody was told of goes back with the next exchange. Where none comes, the next pulse sees to it, and at the latest
// the end of the store: a worker that lives on would hold such a task for good.

import type { Database } from "./database.ts";
import { messageOf } from "./failure.ts";
import { bringBack } from "./strays.ts";

export interface GivingBack {
  /** Begins if there is something to give back. Returns at once. */
  look(): void;
  /** Tries a last time. */
  stop(): Promise<void>;
}

export function givingBack(database: Database): GivingBack {
  let working: Promise<void> | null = null;

  function look(): void {
    if (database.strays.size === 0) return;
    working ??= work().finally(() => {
      working = null;
    });
  }

  async function work(): Promise<void> {
    try {
      await bringBack(database);
    } catch (error) {
      const exchanges = database.strays.size;
      database.log.warn("Could not give back what no worker was told of", { exchanges, error: messageOf(error) });
    }
  }

  return {
    look,
    async stop() {
      await working;
      look();
      await working;
    },
  };
}
