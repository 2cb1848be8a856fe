// How long it takes to say why a task is not running, with everything that waits in the database: where nobody has the
// job, and where very many workers have it.

import type { Principal } from "../../../src/core/access.ts";
import { type Desks, desks } from "../../../src/engine/desks/desks.ts";
import type { Schemas } from "../../../src/ports/schemas.ts";
import { deepJob } from "../../bench-catalog.ts";
import { startEngine } from "../../bench-engine.ts";
import { livingWorkers, removeWorkers } from "../../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { percentile } from "../../statistics.ts";

const admin: Principal = { user: "bench", role: "admin", rooms: null, jobs: null, token: null };
const anySchema: Schemas = { check() {}, validator: () => () => [] };
const warmUpCalls = 30;

export async function measure(input: MeasureInput): Promise<Measured> {
  const calls = parameter(input, "calls");
  const bench = await startEngine(input.place);
  const asked = desks(bench.around, { operations: bench.engine, schemas: anySchema });
  const tasks = { middle: input.facts["middle"] as string, end: input.facts["last"] as string };
  const figures: Record<string, number> = {};
  async function explainEach(kind: string, cause: string): Promise<void> {
    for (const [where, id] of Object.entries(tasks)) {
      const times = await explainTimes(asked, id, cause, calls);
      figures[`${kind}-${where}P50`] = percentile(times, 0.5);
      figures[`${kind}-${where}P99`] = percentile(times, 0.99);
    }
  }
  await input.timed("explain", async () => {
    await explainEach("nobody", "no-worker");
    const { ids, rest } = await livingWorkers(bench, parameter(input, "workers"), [deepJob]);
    await explainEach("many", "in-line");
    rest();
    // The next run finds the same database, and nobody in it.
    await removeWorkers(bench.store, bench, ids);
  });
  asked.stop();
  await bench.stop();
  return { figures };
}

async function explainTimes({ explains }: Desks, id: string, expected: string, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = -warmUpCalls; call < calls; call += 1) {
    const startedAt = performance.now();
    const { cause } = await explains.explain(admin, id);
    if (call >= 0) times.push(performance.now() - startedAt);
    if (cause !== expected) throw new Error(`The cause is ${cause} and not ${expected}`);
  }
  return times;
}
