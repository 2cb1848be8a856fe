// Cancels on their way to workers that ask now and then instead of listening. Best effort: a worker that was not told
// finds out when its result is refused.

import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";

export interface Cancels {
  /** From now on this server listens for the worker. */
  listen(worker: string): void;
  /** What was cancelled since the last time. */
  take(worker: string): readonly string[];
  stop(): void;
}

interface Ear {
  readonly deafen: () => void;
  heard: Set<string>;
}

/** More than any worker holds; a worker that never asks again must not fill the memory. */
const heardMax = 1_000;

export function cancels({ bus }: Surroundings, catalog: Catalog): Cancels {
  const ears = new Map<string, Ear>();

  catalog.onChange(({ workers }) => {
    for (const { id, session } of workers) {
      if (session.removedAt === null) continue;
      ears.get(id)?.deafen();
      ears.delete(id);
    }
  });

  function listen(worker: string): void {
    if (ears.has(worker)) return;
    const heard = new Set<string>();
    const deafen = bus.subscribe(`worker:${worker}`, (message) => {
      const task = /^cancel (.+)$/.exec(message)?.[1];
      const ear = ears.get(worker);
      if (task !== undefined && ear !== undefined && ear.heard.size < heardMax) ear.heard.add(task);
    });
    ears.set(worker, { deafen, heard });
  }

  return {
    listen,
    take(worker) {
      const ear = ears.get(worker);
      if (ear === undefined || ear.heard.size === 0) return [];
      const { heard } = ear;
      ear.heard = new Set();
      return [...heard];
    },
    stop() {
      for (const { deafen } of ears.values()) deafen();
      ears.clear();
    },
  };
}
