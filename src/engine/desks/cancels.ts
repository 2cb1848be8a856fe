// Cancels on their way to workers that ask now and then instead of listening. Best effort: a worker that was not told
// finds out when its result is refused.

import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";

export interface Cancels {
  /** What was cancelled since the last time; from the first call on, this server listens for the worker. */
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

  catalog.onChange(() => {
    for (const [worker, { deafen }] of ears) {
      if (catalog.worker(worker) !== undefined) continue;
      deafen();
      ears.delete(worker);
    }
  });

  function listen(worker: string): void {
    const heard = new Set<string>();
    const deafen = bus.subscribe(`worker:${worker}`, (message) => {
      const task = /^cancel (.+)$/.exec(message)?.[1];
      const ear = ears.get(worker);
      if (task !== undefined && ear !== undefined && ear.heard.size < heardMax) ear.heard.add(task);
    });
    ears.set(worker, { deafen, heard });
  }

  return {
    take(worker) {
      const ear = ears.get(worker);
      if (ear === undefined) {
        listen(worker);
        return [];
      }
      const { heard } = ear;
      if (heard.size === 0) return [];
      ear.heard = new Set();
      return [...heard];
    },
    stop() {
      for (const { deafen } of ears.values()) deafen();
      ears.clear();
    },
  };
}
