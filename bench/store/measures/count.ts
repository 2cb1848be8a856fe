// Messages that count on one coordinator: every index once, one in ten of them twice, told by callers side by side.

import type { ToldMark } from "../../../src/core/marks.ts";
import type { ClaimedTask } from "../../../src/ports/records.ts";
import { deepJob, makeCatalog } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { fill } from "../../bench-tasks.ts";
import { livingWorkers } from "../../bench-workers.ts";
import { concurrently } from "../../concurrently.ts";
import { cpuFigures, type Measured, type MeasureInput, parameter } from "../../measure.ts";

interface Counting {
  readonly marks: number;
  readonly callers: number;
  /** In one call. */
  readonly each: number;
}

export async function measure(input: MeasureInput): Promise<Measured> {
  const bench = await startEngine(input.place);
  const lanes = await makeCatalog(bench.store, bench);
  await bench.engine.catalog.refresh();
  const { ids, rest } = await livingWorkers(bench, 1, [deepJob]);
  const [callers, each, marks] = [parameter(input, "callers"), parameter(input, "each"), parameter(input, "marks")];
  const coordinate = async (total: number): Promise<string> => {
    await fill(bench.store, bench, lanes, { tasks: 1, jobOf: () => deepJob });
    return deferred(bench, ids[0] as string, total);
  };

  const warmUp = Math.ceil(marks / 20);
  await countAll(bench, await coordinate(warmUp), { marks: warmUp, callers, each });
  const coordinator = await coordinate(marks);
  bench.commits.reset();
  const timing = await input.timed("count", () => countAll(bench, coordinator, { marks, callers, each }));
  const { commits } = bench.commits.of("amend");
  const [task] = await bench.store.read("tasks", { ids: [coordinator] });
  rest();
  await bench.stop();
  const { done, failed } = task?.row.children ?? {};
  if (task?.row.state !== "completed" || done !== marks || failed !== 0) {
    throw new Error(`${done} of ${marks} were counted, ${failed} as failed, and the coordinator is ${task?.row.state}`);
  }
  return {
    figures: {
      marksPerSecond: (1_000 * marks) / timing.ms,
      marksPerCommit: marks / commits,
      ...cpuFigures(timing, marks),
    },
  };
}

async function deferred({ engine }: BenchEngine, worker: string, total: number): Promise<string> {
  const [task] = (await engine.claim({ worker, limit: 1, waitMs: 0, assign: true })) as [ClaimedTask];
  await engine.settle(task.card.id, { worker, attempt: task.row.attempt }, { type: "defer", total });
  return task.card.id;
}

async function countAll({ engine }: BenchEngine, task: string, { marks, callers, each }: Counting): Promise<void> {
  let told = 0;
  await concurrently(callers, async () => {
    const from = told;
    if (from >= marks) return false;
    told += each;
    await engine.count(task, marksOf(from, Math.min(from + each, marks)));
    return true;
  });
}

function marksOf(from: number, to: number): ToldMark[] {
  const marks: ToldMark[] = [];
  for (let index = from; index < to; index += 1) {
    marks.push({ index, failed: false, error: null });
    if (index % 10 === 0) marks.push({ index, failed: false, error: null });
  }
  return marks;
}
