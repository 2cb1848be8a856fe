// How many more tasks a worker may be given that may hold only so many. Claims of this server that are under way count as
// if they had got all they ask for, so that two at a time do not both take the last place. Servers do not know of each
// other's claims: between two of them the limit is kept by what the database says when each looks.

import { noOrders, roomLeft } from "../../core/orders.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";

export interface Seats {
  /** Keeps as many as there are, at most so many. */
  keep(worker: string, wanted: number): Promise<KeptSeats>;
}

export interface KeptSeats {
  readonly count: number;
  /** The tasks are in the worker's hands, where they are counted; or there were none. */
  free(): void;
}

interface Ledger {
  kept: number;
  /** Counts under way. A claim may end while one counts, which saw nothing of what it took. */
  readonly counts: Set<{ kept: number }>;
}

export function seats({ store }: Pick<Surroundings, "store">, catalog: Pick<Catalog, "worker">): Seats {
  const ledgers = new Map<string, Ledger>();

  function ledgerOf(worker: string): Ledger {
    const ledger = ledgers.get(worker) ?? { kept: 0, counts: new Set() };
    ledgers.set(worker, ledger);
    return ledger;
  }

  function tidy(worker: string, ledger: Ledger): void {
    const isEmpty = ledger.kept === 0 && ledger.counts.size === 0;
    if (isEmpty && ledgers.get(worker) === ledger) ledgers.delete(worker);
  }

  function take(worker: string, ledger: Ledger, count: number): KeptSeats {
    ledger.kept += count;
    for (const other of ledger.counts) other.kept += count;
    const free = (): void => {
      ledger.kept -= count;
      tidy(worker, ledger);
    };
    return { count, free };
  }

  return {
    async keep(worker, wanted) {
      const orders = catalog.worker(worker)?.orders ?? noOrders;
      const limit = orders.concurrency?.value ?? null;
      const ledger = ledgerOf(worker);
      const count = { kept: ledger.kept };
      ledger.counts.add(count);
      try {
        const held = limit === null ? [] : await store.find("held", { workers: [worker], limit });
        return take(worker, ledger, Math.min(wanted, roomLeft(orders, held.length + count.kept)));
      } finally {
        ledger.counts.delete(count);
        tidy(worker, ledger);
      }
    },
  };
}
