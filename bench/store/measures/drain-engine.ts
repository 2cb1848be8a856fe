// Draining through the engine. Each loop of a worker has `credit` tasks in hand; it completes all of them and asks for
// as many in the same turn, so that settle and claim travel together. Nothing is run in between: the tasks are no-ops.

import type { ClaimedTask } from "../../../src/ports/records.ts";
import { deepJob, makeCatalog } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { completion, fill } from "../../bench-tasks.ts";
import { livingWorkers } from "../../bench-workers.ts";
import { cpuFigures, type Measured, type MeasureInput, parameter } from "../../measure.ts";

export interface Draining {
  readonly workers: readonly string[];
  /** Tasks in hand of one loop, and how many loops a worker has. */
  readonly credit: number;
  readonly loops: number;
  /** No more is asked for once so many have been claimed. */
  readonly tasks: number;
}

export interface Drained {
  readonly claimed: number;
  /** The most tasks that were held at one time. */
  readonly heldMost: number;
}

export async function measure(input: MeasureInput): Promise<Measured> {
  const tasks = parameter(input, "tasks");
  const bench = await startEngine(input.place);
  const lanes = await makeCatalog(bench.store, bench);
  await bench.engine.catalog.refresh();
  const { ids: workers, rest } = await livingWorkers(bench, parameter(input, "workers"), [deepJob]);
  const draining = { workers, credit: parameter(input, "credit"), loops: parameter(input, "loops") };

  const warmUp = Math.ceil(tasks / 20);
  await fill(bench.store, bench, lanes, { tasks: warmUp, jobOf: () => deepJob });
  await drain(bench, { ...draining, tasks: warmUp });

  await fill(bench.store, bench, lanes, { tasks, jobOf: () => deepJob });
  bench.commits.reset();
  let drained: Drained = { claimed: 0, heldMost: 0 };
  const timing = await input.timed("drain", async () => {
    drained = await drain(bench, { ...draining, tasks });
  });
  const { commits } = bench.commits.of("exchange");
  rest();
  await bench.stop();
  if (drained.claimed !== tasks) throw new Error(`${drained.claimed} of ${tasks} tasks were drained`);
  return {
    figures: {
      tasksPerSecond: (1_000 * tasks) / timing.ms,
      tasksPerCommit: tasks / commits,
      held: drained.heldMost,
      ...cpuFigures(timing, tasks),
    },
  };
}

export async function drain({ engine }: BenchEngine, { workers, credit, loops, tasks }: Draining): Promise<Drained> {
  let asked = 0;
  let claimed = 0;
  const held = heldCount();

  async function ask(worker: string): Promise<readonly ClaimedTask[]> {
    const limit = Math.min(credit, tasks - asked);
    if (limit <= 0) return [];
    asked += limit;
    const hand = await engine.claim({ worker, limit, waitMs: 0, assign: true });
    claimed += hand.length;
    held.change(hand.length);
    return hand;
  }

  async function settle(worker: string, hand: readonly ClaimedTask[]): Promise<void> {
    await Promise.all(
      hand.map(({ card, row }) => engine.settle(card.id, { worker, attempt: row.attempt }, completion)),
    );
    held.change(-hand.length);
  }

  async function loop(worker: string): Promise<void> {
    let hand = await ask(worker);
    while (hand.length > 0) {
      const settled = settle(worker, hand);
      const next = ask(worker);
      await settled;
      hand = await next;
    }
  }

  await Promise.all(workers.flatMap((worker) => Array.from({ length: loops }, () => loop(worker))));
  return { claimed, heldMost: held.most() };
}

/** One commit both takes and gives; its answers arrive one by one, so it is counted once all of them are in. */
function heldCount() {
  let held = 0;
  let most = 0;
  let counting = false;
  return {
    change(by: number): void {
      held += by;
      if (counting) return;
      counting = true;
      setImmediate(() => {
        counting = false;
        most = Math.max(most, held);
      });
    },
    most: () => most,
  };
}
