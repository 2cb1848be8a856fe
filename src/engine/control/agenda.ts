// What an operator has said for later: pauses that end by themselves, and deadlines of drains. Every server knows them
// from its catalog; the leader acts on them.

import { drainDueAt } from "../../core/orders.ts";
import { type Pause, pauseKey } from "../../core/pause.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import { workerEvent } from "../worker-record.ts";
import type { Evictions } from "./evictions.ts";

export interface Agenda {
  /** When the next of them is due. */
  nextAt(): number | null;
  /** Does what is due. Answers how many pauses ended, and how many drains. */
  run(now: number): Promise<number>;
}

export interface AgendaParts {
  readonly catalog: Catalog;
  readonly evictions: Evictions;
}

export function agenda({ store, bus, clock }: Surroundings, { catalog, evictions }: AgendaParts): Agenda {
  const deadlines = new Map<string, number>();
  const ends = new Map<string, Pause & { readonly until: number }>();

  catalog.onChange(({ workers, pauses }) => {
    for (const { id, orders, session } of workers) {
      const at = session.removedAt === null ? drainDueAt(orders) : null;
      if (at === null) deadlines.delete(id);
      else deadlines.set(id, at);
    }
    for (const pause of pauses) {
      const { until, endedAt } = pause;
      if (until === null || endedAt !== null) ends.delete(pauseKey(pause));
      else ends.set(pauseKey(pause), { ...pause, until });
    }
  });

  async function endPauses(): Promise<number> {
    // Somebody may have prolonged one of them a moment ago, elsewhere.
    await catalog.refresh();
    const now = clock.now();
    const over = [...ends.values()].filter(({ until }) => until <= now).map((pause) => ({ ...pause, endedAt: now }));
    if (over.length === 0) return 0;
    const known = over.filter(({ kind, name }) => kind === "worker" && catalog.worker(name) !== undefined);
    const workerEvents = known.map(({ name }) => workerEvent(name, now, "worker.resumed", { by: null }));
    await store.amend({}, () => ({ answer: null, pauses: over, workerEvents }));
    await catalog.refresh();
    bus.publish("catalog");
    return over.length;
  }

  return {
    nextAt() {
      let next: number | null = null;
      for (const at of deadlines.values()) next = next === null ? at : Math.min(next, at);
      for (const { until } of ends.values()) next = next === null ? until : Math.min(next, until);
      return next;
    },
    async run(now) {
      const drained = [...deadlines].filter(([, at]) => at <= now).map(([id]) => id);
      for (const id of drained) await evictions.endDrain(id);
      const isOver = [...ends.values()].some(({ until }) => until <= now);
      return drained.length + (isOver ? await endPauses() : 0);
    },
  };
}
