// What has become of the demo's tasks so far.

export interface Counts {
  readonly submitted: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Failed tries that were given another one. */
  readonly retried: number;
  /** Results that came too late. */
  readonly refused: number;
  /** In the hands of workers. */
  readonly held: number;
}

export interface Tally {
  add(change: Partial<Counts>): void;
  counts(): Counts;
  /** Resolves when so many tasks have ended. */
  untilEnded(tasks: number): Promise<void>;
}

export function tally(): Tally {
  let counts: Counts = { submitted: 0, completed: 0, failed: 0, cancelled: 0, retried: 0, refused: 0, held: 0 };
  let waiting: { readonly tasks: number; readonly resolve: () => void } | null = null;

  function look(): void {
    if (waiting !== null && ended(counts) >= waiting.tasks) waiting.resolve();
  }

  return {
    add(change) {
      const keys = Object.keys(change) as (keyof Counts)[];
      counts = { ...counts, ...Object.fromEntries(keys.map((key) => [key, counts[key] + (change[key] ?? 0)])) };
      look();
    },
    counts: () => counts,
    untilEnded: (tasks) =>
      new Promise((resolve) => {
        waiting = { tasks, resolve };
        look();
      }),
  };
}

export function ended({ completed, failed, cancelled }: Counts): number {
  return completed + failed + cancelled;
}
