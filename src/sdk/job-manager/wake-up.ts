// A flag that can be waited for. It is cleared before the look that it is to spare, so a word that comes during the look
// is not lost.

export interface WakeUp {
  set(): void;
  clear(): void;
  /** Returns at once while the flag is set, else when it is, and at the latest after `ms`. */
  wait(ms: number): Promise<void>;
}

/** A program that has nothing else to do does not stay for `isDaemon`. */
export function wakeUp({ isDaemon = false } = {}): WakeUp {
  let isSet = false;
  const waiting = new Set<() => void>();
  return {
    set() {
      isSet = true;
      for (const wake of waiting) wake();
    },
    clear() {
      isSet = false;
    },
    wait(ms) {
      if (isSet) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        if (isDaemon) timer.unref();
        waiting.add(wake);
      });
    },
  };
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const flag = wakeUp();
  signal.addEventListener("abort", flag.set);
  await flag.wait(ms);
  signal.removeEventListener("abort", flag.set);
}
