// What an operator has told a worker to do, as it stands. It counts until it is taken back, whatever the worker says of
// itself, and it stays when the worker comes back under its id.

export interface Orders {
  /** The latest command the worker was given: whoever speaks with it looks for commands when this has changed. */
  readonly latest: string | null;
  readonly drain: DrainOrder | null;
  readonly concurrency: ConcurrencyOrder | null;
}

export interface DrainOrder {
  readonly by: string;
  readonly note: string | null;
  readonly at: number;
  /** What it still holds then goes to others. */
  readonly deadline: number | null;
  /** The deadline has passed, and it was let go of everything. */
  readonly isOver: boolean;
}

export interface ConcurrencyOrder {
  /** It holds no more than so many. */
  readonly value: number;
  readonly by: string;
  readonly note: string | null;
  readonly at: number;
}

export const noOrders: Orders = { latest: null, drain: null, concurrency: null };

/** When a worker that drains is let go of what it holds; null where nothing is to be done. */
export function drainDueAt({ drain }: Orders): number | null {
  return drain === null || drain.isOver ? null : drain.deadline;
}

/** How many more tasks a worker may be given that holds so many. */
export function roomLeft({ concurrency }: Orders, held: number): number {
  return concurrency === null ? Number.POSITIVE_INFINITY : Math.max(0, concurrency.value - held);
}

/** As stores keep it: nothing for nothing. */
export function ordersText(orders: Orders): string | null {
  const { latest, drain, concurrency } = orders;
  return latest === null && drain === null && concurrency === null ? null : JSON.stringify(orders);
}

export function ordersOf(text: string | null): Orders {
  return text === null ? noOrders : (JSON.parse(text) as Orders);
}
