// Waiting for a task to end. A wait wakes on the event, ends on time and holds no connection: it is a listener and an
// alarm. It listens first and looks then, so that nothing slips between.

import { checkDuration } from "../core/checks.ts";
import { isFinal } from "../core/task-row.ts";
import type { TaskRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Waits {
  /** The task as it is when it is final or the time is over; undefined when there is no such task. */
  untilFinal(id: string, waitMs: number, signal?: AbortSignal): Promise<TaskRecord | undefined>;
  waiting(): number;
  /** Ends all of them, with what they know. */
  stop(): void;
}

/** A message may be lost; this often a wait looks for itself. */
const lookMs = 5_000;

/** More at once would all be answered late: nobody goes on before everyone has been told. */
const togetherMax = 50;

/**
 * Whoever looks in the same turn of the event loop asks together: a thousand who wait for one task wake at once, and
 * the safety net of a thousand tasks is a few questions.
 */
function looks(store: Pick<Store, "read">): (id: string) => Promise<TaskRecord | undefined> {
  let next: { readonly ids: string[]; readonly found: Promise<ReadonlyMap<string, TaskRecord>> } | null = null;

  function gather() {
    const ids: string[] = [];
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      if (next?.ids === ids) next = null;
      const records = await store.read("tasks", { ids: [...new Set(ids)] });
      return new Map(records.map((record) => [record.card.id, record]));
    });
    return { ids, found };
  }

  return async (id) => {
    if (next === null || next.ids.length >= togetherMax) next = gather();
    next.ids.push(id);
    return (await next.found).get(id);
  };
}

export function waits({ store, bus, clock }: Surroundings): Waits {
  const look = looks(store);
  const wakes = new Set<() => void>();
  let stopped = false;

  async function untilFinal(id: string, waitMs: number, signal?: AbortSignal): Promise<TaskRecord | undefined> {
    checkDuration("/waitMs", waitMs);
    const until = clock.now() + waitMs;
    let wake: () => void = () => {};
    let woken = false;
    const deafen = bus.subscribe(`task:${id}`, (state) => {
      if (state !== "completed" && state !== "failed" && state !== "cancelled") return;
      woken = true;
      wake();
    });
    const rouse = (): void => wake();
    wakes.add(rouse);
    signal?.addEventListener("abort", rouse);
    try {
      for (;;) {
        woken = false;
        const record = await look(id);
        const over = clock.now() >= until || signal?.aborted === true || stopped;
        if (record === undefined || isFinal(record.row.state) || over) return record;
        await new Promise<void>((resolve) => {
          const silence = clock.alarm(Math.min(until, clock.now() + lookMs), resolve);
          const end = (): void => {
            silence();
            resolve();
          };
          wake = end;
          if (woken || stopped) end();
        });
        // The store may be closing: what is known has to do.
        if (stopped) return record;
      }
    } finally {
      signal?.removeEventListener("abort", rouse);
      wakes.delete(rouse);
      deafen();
    }
  }

  return {
    untilFinal,
    waiting: () => wakes.size,
    stop() {
      stopped = true;
      for (const rouse of wakes) rouse();
    },
  };
}
