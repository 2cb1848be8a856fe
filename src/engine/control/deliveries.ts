// Commands on their way to workers. They are looked for when a worker's record names another latest command than before,
// so that a worker which has obeyed everything costs nothing, however often it beats.

import { Problem } from "../../core/problem.ts";
import type { CommandRecord, WorkerRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";

export interface CommandAnswer {
  readonly ok: boolean;
  readonly detail: string | null;
}

export interface Deliveries {
  /** What the worker has not acknowledged, oldest first; from now on it counts as delivered. */
  open(worker: Pick<WorkerRecord, "id" | "orders">): Promise<readonly CommandRecord[]>;
  /** What became of it, by the worker's word; the first counts. Throws not-found where it is none of the worker's. */
  acknowledge(worker: string, id: string, answer: CommandAnswer): Promise<CommandRecord>;
}

/** At once; the next ones follow when these are acknowledged. */
const openMax = 100;

export function deliveries({ store, clock }: Surroundings, catalog: Pick<Catalog, "onChange">): Deliveries {
  /** By worker, the latest command at which nothing was open any more. */
  const through = new Map<string, string>();

  catalog.onChange(({ workers }) => {
    for (const { id, session } of workers) if (session.removedAt !== null) through.delete(id);
  });

  return {
    async open({ id, orders: { latest } }) {
      if (latest === null || through.get(id) === latest) return [];
      const found = await store.find("commands", { workers: [id], now: clock.now(), limit: openMax });
      if (found.length === 0) through.set(id, latest);
      const now = clock.now();
      const fresh = found
        .filter(({ deliveredAt }) => deliveredAt === null)
        .map((each) => ({ ...each, deliveredAt: now }));
      if (fresh.length > 0) await store.amend({}, () => ({ answer: null, commands: fresh }));
      return found;
    },
    async acknowledge(worker, id, { ok, detail }) {
      const known = await store.read("command", { id });
      if (known === null || known.worker !== worker) throw noCommand(id);
      if (known.ackedAt !== null) return known;
      const now = clock.now();
      const answer = JSON.stringify({ ok, ...(detail !== null && { detail }) });
      const acked = { ...known, deliveredAt: known.deliveredAt ?? now, ackedAt: now, answer };
      await store.amend({}, () => ({ answer: null, commands: [acked] }));
      return acked;
    },
  };
}

function noCommand(id: string): Problem {
  return new Problem("command-not-found", `There is no command ${id} for this worker`);
}
