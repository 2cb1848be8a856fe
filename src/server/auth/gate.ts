// So many at a time, so many in the queue; whoever comes when the queue is full is turned away.

export interface Gate {
  /** Null when there are too many already. */
  pass<T>(work: () => Promise<T>): Promise<T> | null;
}

export function gate(insideMax: number, queueMax: number): Gate {
  const queue: (() => void)[] = [];
  let inside = 0;

  async function enter<T>(work: () => Promise<T>): Promise<T> {
    if (inside < insideMax) inside += 1;
    // Whoever leaves hands its place to the first of the queue.
    else await new Promise<void>((admit) => queue.push(admit));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) inside -= 1;
      else next();
    }
  }

  return { pass: (work) => (inside >= insideMax && queue.length >= queueMax ? null : enter(work)) };
}
