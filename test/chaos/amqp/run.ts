// A broker, a server and consumers, of which everything is broken in turn. After each round every task that was accepted has
// ended as it was asked to, and in the end the database and the broker are read again.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { settleAccounts } from "./accounts.ts";
import { brokerRound } from "./broker-rounds.ts";
import { contentRound } from "./content-rounds.ts";
import { killRound } from "./kill-rounds.ts";
import { longRound, waitShortly } from "./long-tasks.ts";
import { amqpStage, type Stage, type StageOptions } from "./stage.ts";
import {
  brokerFaults,
  contentFaults,
  type FaultName,
  faultNames,
  killFaults,
  longFaults,
  newTally,
  type Size,
  type Tally,
} from "./tally.ts";

export async function amqpRun(t: TestContext, options: Size & StageOptions): Promise<void> {
  const { rounds, seed } = options;
  t.diagnostic(`seed ${seed}`);
  const phase = stopwatch(t);
  const tally = newTally(options);
  const stage = await amqpStage(options);
  phase("all were there");
  try {
    await repeated(tally, rounds, brokerFaults, () => brokerRound(stage, tally));
    phase("the broker had gone and come back");
    await repeated(tally, rounds, killFaults, () => killRound(stage, tally));
    phase("consumers and the server had been killed");
    await waitShortly(stage);
    await Promise.all([
      repeated(tally, rounds, longFaults, () => longRound(stage, tally)),
      repeated(tally, rounds, contentFaults, () => contentRound(stage, tally)),
    ]);
    phase("the broker had lost, doubled and mixed its messages");
    assertHit(tally, faultNames);
    const counts = await settleAccounts(stage);
    phase("everything was read again");
    t.diagnostic([...counts].map(([name, count]) => `${name} ${count}`).join(", "));
  } catch (error) {
    tell(stage, error);
    throw error;
  } finally {
    for (const line of tally.lines()) t.diagnostic(line);
  }
}

/** Until each of these has happened as often as it is to: a round that did not hit is made up for, within reason. */
async function repeated(
  tally: Tally,
  rounds: number,
  names: readonly FaultName[],
  round: () => Promise<void>,
): Promise<void> {
  for (let nth = 0; nth < 2 * rounds + 2 && lacking(tally, names).length > 0; nth += 1) await round();
  assertHit(tally, names);
}

function assertHit(tally: Tally, names: readonly FaultName[]): void {
  const left = lacking(tally, names);
  assert.ok(left.length === 0, `Not hit often enough: ${left.join("; ")}\n${tally.lines().join("\n")}`);
}

function lacking(tally: Tally, names: readonly FaultName[]): readonly FaultName[] {
  return names.filter((name) => tally.lacks(name) > 0);
}

/** Says how long each part of the run took. */
function stopwatch(t: TestContext): (what: string) => void {
  let from = performance.now();
  return (what) => {
    t.diagnostic(`${((performance.now() - from) / 1_000).toFixed(1)} s until ${what}`);
    from = performance.now();
  };
}

/** What is needed to see why. */
function tell({ server, crew }: Stage, error: unknown): void {
  console.error(`--- server\n${server.log().slice(-4_000)}`);
  for (const { orders, err } of crew.all) console.error(`--- ${orders.name}\n${err().slice(-2_000)}`);
  console.error(`--- ${new Date().toISOString()}`, error);
}
