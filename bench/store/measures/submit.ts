// Submitting: calls of a thousand tasks, straight on the store and through the engine, and 64 callers with one task each.

import { deepJob, makeCatalog } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { bulk, fill, payload } from "../../bench-tasks.ts";
import { concurrently } from "../../concurrently.ts";
import { cpuFigures, type Measured, type MeasureInput, parameter } from "../../measure.ts";

export const callers = 64;

export async function measure(input: MeasureInput): Promise<Measured> {
  const bench = await startEngine(input.place);
  const lanes = await makeCatalog(bench.store, bench);
  await bench.engine.catalog.refresh();
  const [many, single] = [parameter(input, "tasks"), parameter(input, "singles")];

  await submitBulk(bench, 10 * bulk);
  const inBulk = await input.timed("bulk", () => submitBulk(bench, many));
  const onStore = await input.timed("bulk on the store", () =>
    fill(bench.store, bench, lanes, { tasks: many, jobOf: () => deepJob }),
  );
  await submitSingles(bench, callers * 10);
  bench.commits.reset();
  const singly = await input.timed("singles", () => submitSingles(bench, single));
  const { commits } = bench.commits.of("submit");
  await bench.stop();
  return {
    figures: {
      bulkPerSecond: (1_000 * many) / inBulk.ms,
      ...cpuFigures(inBulk, many, "bulk-"),
      storeBulkPerSecond: (1_000 * many) / onStore.ms,
      ...cpuFigures(onStore, many, "store-"),
      singlesPerSecond: (1_000 * single) / singly.ms,
      ...cpuFigures(singly, single, "single-"),
      singlesPerCommit: single / commits,
    },
  };
}

/** Two calls under way, so that the next is ready when one has been answered. */
export async function submitBulk({ engine }: BenchEngine, tasks: number): Promise<void> {
  let sent = 0;
  await concurrently(2, async () => {
    const from = sent;
    const count = Math.min(bulk, tasks - from);
    if (count <= 0) return false;
    sent += count;
    await engine.submit(Array.from({ length: count }, (_, index) => request(from + index)));
    return true;
  });
}

export async function submitSingles({ engine }: BenchEngine, tasks: number): Promise<void> {
  let sent = 0;
  await concurrently(callers, async () => {
    if (sent >= tasks) return false;
    sent += 1;
    await engine.submit([request(sent)]);
    return true;
  });
}

function request(n: number) {
  return { job: deepJob, room: "@global", payload: payload(n), logs: null };
}
