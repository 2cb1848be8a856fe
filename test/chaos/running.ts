// An engine in this process under load, on a database that is about to be broken.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ProblemCode } from "../../src/core/problem.ts";
import type { Entry } from "../../src/testing/ledger.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { count, settleAccounts } from "./accounts.ts";
import { type Chance, chance, newSeed } from "./chance.ts";
import { type ChaosEngine, chaosEngine, type Place } from "./chaos-engine.ts";
import { startLoad } from "./load.ts";

export interface Running extends ChaosEngine {
  readonly chance: Chance;
  /** Resolves when so many more answers have been given: work goes on. */
  goesOn(answers?: number): Promise<void>;
  /** Resolves when so many more callers have been refused for now, for this reason. */
  turnedAway(code: ProblemCode, callers?: number): Promise<void>;
}

/** Where work must have resumed by then, by itself. */
const resumeMs = 20_000;

/** Breaks something under load; then every answer that was given has to be true, and every task has to end. */
export async function underLoad(t: TestContext, place: Place, breakIt: (run: Running) => Promise<void>): Promise<void> {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const told: Entry[] = [];
  const faults: unknown[] = [];
  const log = recordedLog();
  const running = await chaosEngine(place, { log });
  const answers = (): number => count(told, "accepted") + count(told, "moved");
  try {
    const load = await startLoad({
      ...running,
      seed,
      name: "load",
      note: (entry) => told.push(entry),
      onFault: (error) => faults.push(error),
    });
    const grows = async (what: string, counted: () => number, more: number): Promise<void> => {
      const before = counted();
      await until(what, () => counted() >= before + more || faults.length > 0, resumeMs);
    };
    const goesOn = (more = 100) => grows("work goes on", answers, more);
    const turnedAway = (code: ProblemCode, more = 50) =>
      grows(`callers hear ${code}`, () => refusals(told, code), more);
    try {
      await goesOn();
      await breakIt({ ...running, chance: chance(seed), goesOn, turnedAway });
      await goesOn();
    } finally {
      await load.stop();
    }
    assert.deepEqual(faults, []);
    await settleAccounts(t, running, told, seed);
  } catch (error) {
    for (const { level, message, fields } of log.lines.slice(-20)) console.error(level, message, fields);
    throw error;
  } finally {
    await running.engine.stop();
  }
}

function refusals(told: readonly Entry[], code: ProblemCode): number {
  return told.filter((entry) => entry.what === "postponed" && entry.code === code).length;
}
