// A broker, a server and consumers, of which everything is broken in turn. After each round every task that was accepted has
// ended as it was asked to, and in the end the database and the broker are read again.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { settleAccounts } from "./accounts.ts";
import { type BrokerRound, brokerRound } from "./broker-rounds.ts";
import { contentRound } from "./content-rounds.ts";
import { killFaults, killRound } from "./kill-rounds.ts";
import { longTasks, waitShortly } from "./long-tasks.ts";
import { amqpStage, type Stage, type StageOptions } from "./stage.ts";
import { contentFaults, type FaultName, newTally, type Tally } from "./tally.ts";

export interface AmqpRunOptions extends StageOptions {
  /** Of each fault. */
  readonly rounds: number;
  /** Whether the broker is once away for a whole minute. */
  readonly minute: boolean;
  /** How it goes first; then the other way, in turn. */
  readonly how?: BrokerRound["how"];
}

export async function amqpRun(t: TestContext, options: AmqpRunOptions): Promise<void> {
  const { rounds, minute, seed, how = "kill" } = options;
  t.diagnostic(`seed ${seed}`);
  const phase = stopwatch(t);
  const tally = newTally();
  const stage = await amqpStage(options);
  phase("all were there");
  try {
    await repeated(tally, rounds, ["broker went"], (nth) => {
      const awayMs = minute && nth === 0 ? 60_000 : 0;
      return brokerRound(stage, tally, { how: nth % 2 === 0 ? how : other[how], awayMs });
    });
    phase("the broker had gone and come back");
    await repeated(tally, rounds, killFaults, () => killRound(stage, tally));
    phase("consumers and the server had been killed");
    await waitShortly(stage);
    await Promise.all([
      longTasks(stage, tally, rounds),
      repeated(tally, rounds, contentFaults, () => contentRound(stage, tally)),
    ]);
    phase("the broker had lost, doubled and mixed its messages");
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

const other = { kill: "down", down: "kill" } as const;

/** Until each of these has happened so often: a round that did not hit is made up for, within reason. */
async function repeated(
  tally: Tally,
  rounds: number,
  names: readonly FaultName[],
  round: (nth: number) => Promise<void>,
): Promise<void> {
  const isEnough = (): boolean => names.every((name) => tally.count(name) >= rounds);
  for (let nth = 0; nth < 2 * rounds + 2 && !isEnough(); nth += 1) await round(nth);
  assert.ok(isEnough(), tally.lines().join("\n"));
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
