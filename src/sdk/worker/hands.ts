// The tasks a worker has in hand. A hand is free as soon as its handler has ended: telling the server takes no hand, but
// there is a limit to what is left untold.

import type { Attempt } from "./attempt.ts";
import type { AbortCause } from "./task-aborted.ts";

export interface Hands {
  /** How many run side by side from now on; null: as many as at first. */
  setConcurrency(value: number | null): void;
  /** How many may run side by side. */
  concurrency(): number;
  /** How many more tasks may run. */
  count(): number;
  /** Resolves when there is a free hand, or the signal aborts. */
  free(signal: AbortSignal): Promise<void>;
  has(task: string): boolean;
  hold(attempt: Attempt): void;
  abort(task: string, why: AbortCause): void;
  abortAll(why: AbortCause): void;
  held(): readonly Attempt[];
  /** Resolves when nothing is in hand and all is told. */
  empty(): Promise<void>;
}

export function hands(atFirst: number, most: number = Number.POSITIVE_INFINITY): Hands {
  let concurrency = atFirst;
  const all = new Map<string, Attempt>();
  let running = 0;
  const waiting = new Set<() => void>();

  /** Twice as many as run: one lot that is being told, and one that runs meanwhile. */
  const count = (): number => Math.min(concurrency - running, 2 * concurrency - all.size);

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  const next = (): Promise<void> => new Promise((resolve) => void waiting.add(resolve));

  return {
    setConcurrency(value) {
      concurrency = Math.min(value ?? atFirst, most);
      wake();
    },
    concurrency: () => concurrency,
    count,
    async free(signal) {
      if (count() > 0) return;
      signal.addEventListener("abort", wake);
      while (count() <= 0 && !signal.aborted) await next();
      signal.removeEventListener("abort", wake);
    },
    has: (task) => all.has(task),
    hold(attempt) {
      const { id } = attempt.task;
      all.set(id, attempt);
      running += 1;
      void attempt.handled.then(() => {
        running -= 1;
        wake();
      });
      const letGo = (): void => {
        if (all.get(id) === attempt) all.delete(id);
        wake();
      };
      attempt.done.then(letGo, letGo);
    },
    abort: (task, why) => all.get(task)?.abort(why),
    abortAll(why) {
      for (const attempt of all.values()) attempt.abort(why);
    },
    held: () => [...all.values()],
    async empty() {
      while (all.size > 0) await next();
    },
  };
}
