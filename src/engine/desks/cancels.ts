// Cancels on their way to workers that ask now and then instead of listening, and what was taken from them. Best effort: a
// worker that was not told finds out when its result is refused.

import { Problem } from "../../core/problem.ts";
import type { Catalog } from "../catalog.ts";
import { evictedWord } from "../control/evictions.ts";
import type { Surroundings } from "../surroundings.ts";

export interface Cancels {
  /** From now on this server listens for the worker. */
  listen(worker: string): void;
  /** What was cancelled since the last time, or taken away and not given back to it meanwhile. */
  take(worker: string): Promise<readonly string[]>;
  stop(): void;
}

interface Ear {
  readonly deafen: () => void;
  heard: Map<string, "cancelled" | "evicted">;
}

/** More than any worker holds; a worker that never asks again must not fill the memory. */
const heardMax = 1_000;

export function cancels({ bus, store }: Surroundings, catalog: Catalog): Cancels {
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
    const deafen = bus.subscribe(`worker:${worker}`, (message) => {
      const [word, task] = message.split(" ");
      const what = word === "cancel" ? "cancelled" : `${word} ` === evictedWord ? "evicted" : null;
      const ear = ears.get(worker);
      if (what === null || task === undefined || ear === undefined) return;
      if (ear.heard.size < heardMax) ear.heard.set(task, what);
    });
    ears.set(worker, { deafen, heard: new Map() });
  }

  /** Those of another attempt by now, which is not to be stopped. */
  async function inItsHands(worker: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    try {
      const tasks = await store.read("tasks", { ids });
      return tasks.filter(({ row }) => row.worker === worker).map(({ card }) => card.id);
    } catch (error) {
      if (error instanceof Problem && error.retry) return ids;
      throw error;
    }
  }

  return {
    listen,
    async take(worker) {
      const ear = ears.get(worker);
      if (ear === undefined || ear.heard.size === 0) return [];
      const { heard } = ear;
      ear.heard = new Map();
      const evicted = [...heard.keys()].filter((task) => heard.get(task) === "evicted");
      const again = await inItsHands(worker, evicted);
      return [...heard.keys()].filter((task) => !again.includes(task));
    },
    stop() {
      for (const { deafen } of ears.values()) deafen();
      ears.clear();
    },
  };
}
