// What a server asks its database when nobody asks anything of it: alone, or with claims that wait for work.

import { setTimeout as pause } from "node:timers/promises";
import { deepJob, makeCatalog } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { inWords, type LoggedStatement, logStatements, statementsDuring } from "../../statement-log.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const { place } = input;
  if (place.kind !== "postgres") throw new Error("Statements are counted on PostgreSQL alone");
  const seconds = parameter(input, "seconds");
  await logStatements(place);
  const bench = await startEngine(place);
  await makeCatalog(bench.store, bench);
  await bench.engine.catalog.refresh();
  const claims = await waitingClaims(bench, parameter(input, "claims"), 1_000 * (seconds + 30));
  // The safety nets look once more some time after a change; that is the end of starting, not the beginning of idling.
  await pause(1_000 * parameter(input, "quietSeconds"));

  let statements: LoggedStatement[] = [];
  await input.timed("idle", async () => {
    statements = await statementsDuring(place, () => pause(1_000 * seconds));
  });
  const bus = statements.filter(({ text }) => /pg_notify|\b(un)?listen\b|notify/i.test(text));
  await bench.stop();
  await claims.ended();
  return {
    figures: {
      statementsPerSecond: statements.length / seconds,
      storePerSecond: (statements.length - bus.length) / seconds,
      busPerSecond: bus.length / seconds,
      databaseMsPerSecond: statements.reduce((sum, { ms }) => sum + ms, 0) / seconds,
    },
    notes: inWords(statements, seconds),
  };
}

/** Workers of the `fleet` profile, which need no beat for minutes, each with one claim that finds nothing. */
async function waitingClaims({ engine }: BenchEngine, count: number, waitMs: number) {
  const claims: Promise<unknown>[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const worker = await engine.workers.register({ profile: "fleet", owner: null, jobs: new Map([[deepJob, null]]) });
    claims.push(engine.claim({ worker: worker.id, limit: 1, waitMs, assign: true }));
  }
  return { ended: () => Promise.all(claims) };
}
