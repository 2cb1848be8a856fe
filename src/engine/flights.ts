// The rhythm of group commit: at most `width` batches under way; what arrives within one turn of the event loop, or
// while all of them are under way, leaves together with the next.

export interface Flights {
  /** Something is waiting. */
  schedule(): void;
  /** Resolves when nothing is waiting and nothing is under way. */
  quiet(): Promise<void>;
}

/** `sendNext` is told how many flights are free, itself included: what waits may be shared out among them. */
export function flights(width: number, waiting: () => boolean, sendNext: (free: number) => Promise<void>): Flights {
  let underWay = 0;
  let scheduled = false;
  let whenQuiet: (() => void)[] = [];

  function schedule(): void {
    if (scheduled || underWay >= width || !waiting()) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (underWay < width && waiting()) void fly();
    });
  }

  async function fly(): Promise<void> {
    const free = width - underWay;
    underWay += 1;
    try {
      await sendNext(free);
    } finally {
      underWay -= 1;
      schedule();
      if (underWay === 0 && !waiting()) {
        for (const resolve of whenQuiet) resolve();
        whenQuiet = [];
      }
    }
  }

  return {
    schedule,
    quiet: () =>
      new Promise((resolve) => {
        if (underWay === 0 && !waiting()) resolve();
        else whenQuiet.push(resolve);
      }),
  };
}
