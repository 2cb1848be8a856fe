// What a server asks its database while connected workers beat and nobody has anything to do.

import { setTimeout as pause } from "node:timers/promises";
import { countingCalls } from "../../../src/testing/counting-calls.ts";
import { deepJob, makeCatalog } from "../../bench-catalog.ts";
import { startEngine } from "../../bench-engine.ts";
import { livingWorkers } from "../../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { inWords, type LoggedStatement, logStatements, statementsDuring } from "../../statement-log.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const { place } = input;
  const seconds = parameter(input, "seconds");
  if (place.kind === "postgres") await logStatements(place);
  const calls = countingCalls();
  const bench = await startEngine(place, calls.around);
  await makeCatalog(bench.store, bench);
  await bench.engine.catalog.refresh();
  const workers = await livingWorkers(bench, parameter(input, "workers"), [deepJob]);
  // The safety nets look once more some time after a change; that is the end of starting, not the beginning of idling.
  await pause(1_000 * parameter(input, "quietSeconds"));

  let statements: readonly LoggedStatement[] | null = null;
  calls.reset();
  await input.timed("idle", async () => {
    const idle = (): Promise<void> => pause(1_000 * seconds);
    if (place.kind === "postgres") statements = await statementsDuring(place, idle);
    else await idle();
  });
  const counts = calls.counts();
  workers.rest();
  await bench.stop();
  return {
    figures: {
      ...figuresOf(statements, seconds),
      callsPerSecond: [...counts.values()].reduce((sum, count) => sum + count, 0) / seconds,
      beatsPerSecond: (counts.get("beat") ?? 0) / seconds,
    },
    notes: [
      ...[...counts].map(([call, count]) => `${(count / seconds).toFixed(2)}/s calls of \`${call}\``),
      ...(statements === null ? [] : inWords(statements, seconds)),
    ],
  };
}

function figuresOf(statements: readonly LoggedStatement[] | null, seconds: number): Record<string, number> {
  if (statements === null) return {};
  return {
    statementsPerSecond: statements.length / seconds,
    databaseMsPerSecond: statements.reduce((sum, { ms }) => sum + ms, 0) / seconds,
  };
}
