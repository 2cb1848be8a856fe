// The rates of everything on a stage that already holds something. As many tasks go as came, so the stage stays as it is.

import type { ClaimedTask } from "../../../src/ports/records.ts";
import { deepJob } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { completion } from "../../bench-tasks.ts";
import { livingWorkers } from "../../bench-workers.ts";
import { concurrently } from "../../concurrently.ts";
import { cpuFigures, type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { drain } from "./drain-engine.ts";
import { submitBulk, submitSingles } from "./submit.ts";

const credit = 100;
const workerCount = 4;

export async function measure(input: MeasureInput): Promise<Measured> {
  const tasks = parameter(input, "tasks");
  const bench = await startEngine(input.place);
  const { ids: workers, rest } = await livingWorkers(bench, workerCount, [deepJob]);
  const draining = { workers, credit, loops: 1 };
  const figures: Record<string, number> = {};
  const rate = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const timing = await input.timed(name, work);
    Object.assign(figures, { [name]: (1_000 * tasks) / timing.ms }, cpuFigures(timing, tasks, `${name}-`));
  };

  const warmUp = Math.ceil(tasks / 10);
  await submitBulk(bench, warmUp);
  await submitSingles(bench, warmUp);
  await drain(bench, { ...draining, tasks: 2 * warmUp });

  let held: readonly Held[] = [];
  await rate("bulk", () => submitBulk(bench, tasks));
  await rate("singles", () => submitSingles(bench, tasks));
  await rate("drain", () => drain(bench, { ...draining, tasks }));
  await rate("claim", async () => {
    held = await claimAll(bench, workers, tasks);
  });
  await rate("settle", () => settleAll(bench, held));
  rest();
  await bench.stop();
  return { figures };
}

interface Held {
  readonly worker: string;
  readonly tasks: readonly ClaimedTask[];
}

async function claimAll({ engine }: BenchEngine, workers: readonly string[], tasks: number): Promise<Held[]> {
  const held: Held[] = [];
  let asked = 0;
  async function claim(worker: string): Promise<void> {
    while (asked < tasks) {
      const limit = Math.min(credit, tasks - asked);
      asked += limit;
      held.push({ worker, tasks: await engine.claim({ worker, limit, waitMs: 0, assign: true }) });
    }
  }
  await Promise.all(workers.map(claim));
  return held;
}

async function settleAll({ engine }: BenchEngine, held: readonly Held[]): Promise<void> {
  const left = [...held];
  await concurrently(workerCount, async () => {
    const hand = left.shift();
    if (hand === undefined) return false;
    const { worker, tasks } = hand;
    await Promise.all(
      tasks.map(({ card, row }) => engine.settle(card.id, { worker, attempt: row.attempt }, completion)),
    );
    return true;
  });
}
