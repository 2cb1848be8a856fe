// What an operator has said for later: pauses that end by themselves, and deadlines of drains. Every server knows them
// from its catalog; the leader acts on them.

import { drainDueAt } from "../../core/orders.ts";
import { type Pause, pauseKey } from "../../core/pause.ts";
import { rowsMax } from "../../ports/store.ts";
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
    const due = [...ends.values()].filter(({ until }) => until <= clock.now()).slice(0, rowsMax);
    const { answer } = await store.amend({ pauses: due }, (view) => {
      const now = clock.now();
      // Somebody may have ended or prolonged one of them a moment ago, elsewhere.
      const over = [...view.pauses.values()].filter((pause) => isDue(pause, now));
      const known = over.filter(({ kind, name }) => kind === "worker" && catalog.worker(name) !== undefined);
      return {
        answer: over.length,
        pauses: over.map((pause) => ({ ...pause, endedAt: now })),
        workerEvents: known.map(({ name }) => workerEvent(name, now, "worker.resumed", { by: null })),
      };
    });
    await catalog.refresh();
    if (answer > 0) bus.publish("catalog");
    return answer;
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

function isDue({ until, endedAt }: Pause, now: number): boolean {
  return endedAt === null && until !== null && until <= now;
}
