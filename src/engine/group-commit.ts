// Calls of one kind that arrive while a commit is under way gather and leave as the next batch; an idle server sends
// at once. Nobody is answered before the commit that carries them, so one caller sees the latency of one commit and
// a thousand share it. No timers, no early answers, no window in which something acknowledged could be lost.

import { Problem } from "../core/problem.ts";
import { flights } from "./flights.ts";

export interface GroupCommitOptions<I, O> {
  /** One transaction; answers in the order of the items. */
  run(items: readonly I[]): Promise<readonly O[]>;
  /** How much of a batch's room the item takes. */
  weigh?(item: I): number;
  readonly weightMax: number;
  /** How many batches may be under way at once. */
  readonly width: number;
}

export interface GroupCommit<I, O> {
  call(item: I): Promise<O>;
  quiet(): Promise<void>;
}

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (answer: O) => void;
  readonly reject: (error: unknown) => void;
}

export function groupCommit<I, O>(options: GroupCommitOptions<I, O>): GroupCommit<I, O> {
  const weigh = options.weigh ?? (() => 1);
  let waiting: Waiting<I, O>[] = [];

  function nextBatch(): Waiting<I, O>[] {
    let weight = 0;
    let count = 0;
    for (const { item } of waiting) {
      weight += weigh(item);
      if (count > 0 && weight > options.weightMax) break;
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  }

  const { schedule, quiet } = flights(
    options.width,
    () => waiting.length > 0,
    () => runBatch(options.run, nextBatch()),
  );

  return {
    call: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      }),
    quiet,
  };
}

async function runBatch<I, O>(
  run: (items: readonly I[]) => Promise<readonly O[]>,
  batch: readonly Waiting<I, O>[],
): Promise<void> {
  let answers: readonly O[];
  try {
    answers = await run(batch.map(({ item }) => item));
  } catch (error) {
    if (batch.length === 1 || concernsAll(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    // One item's bad data must not fail the others.
    for (const single of batch) await runBatch(run, [single]);
    return;
  }
  for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as O);
}

/** The store is away or full: asking again item by item would only make it worse. */
export function concernsAll(error: unknown): boolean {
  return error instanceof Problem && error.retry;
}
