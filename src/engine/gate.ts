// So many at a time, so many in the queue; whoever comes when the queue is full is turned away. Those who wait have their turns one
// caller after the other, so that one who asks for much waits for himself, and not everybody for him.

export interface Gate {
  /** Null when there are too many already, of all or of this caller. */
  pass<T>(work: () => Promise<T>, caller?: string): Promise<T> | null;
}

/** Of one caller no more wait than `ownMax`. */
export function gate(insideMax: number, queueMax: number, ownMax = queueMax): Gate {
  /** By caller; whose turn it is stands first. None is empty. */
  const queues = new Map<string, (() => void)[]>();
  let inside = 0;
  let waiting = 0;

  function enqueue(caller: string, admit: () => void): void {
    const own = queues.get(caller);
    if (own === undefined) queues.set(caller, [admit]);
    else own.push(admit);
    waiting += 1;
  }

  function next(): (() => void) | undefined {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [caller, own] = first;
    const admit = own.shift();
    queues.delete(caller);
    if (own.length > 0) queues.set(caller, own);
    waiting -= 1;
    return admit;
  }

  async function enter<T>(work: () => Promise<T>, caller: string): Promise<T> {
    if (inside < insideMax) inside += 1;
    // Whoever leaves hands its place to the next.
    else await new Promise<void>((admit) => enqueue(caller, admit));
    try {
      return await work();
    } finally {
      const admit = next();
      if (admit === undefined) inside -= 1;
      else admit();
    }
  }

  return {
    pass(work, caller = "") {
      const isFull = waiting >= queueMax || (queues.get(caller)?.length ?? 0) >= ownMax;
      return inside >= insideMax && isFull ? null : enter(work, caller);
    },
  };
}
