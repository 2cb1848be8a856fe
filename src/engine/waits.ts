// Waiting for a task to end. A wait wakes on the event, ends on time and holds no connection: it is a listener and an
// alarm. It listens first and looks then, so that nothing slips between.

import { checkDuration } from "../core/checks.ts";
import { isFinal } from "../core/task-row.ts";
import type { TaskRecord } from "../ports/records.ts";
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

export function waits({ store, bus, clock }: Surroundings): Waits {
  const wakes = new Set<() => void>();
  let stopped = false;

  async function look(id: string): Promise<TaskRecord | undefined> {
    const [record] = await store.read("tasks", { ids: [id] });
    return record;
  }

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
