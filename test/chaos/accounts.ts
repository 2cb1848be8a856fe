// The end of every test here: callers who were never answered ask again, healthy workers finish what is open, and then the
// database is compared with everything that anyone was told.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { verify } from "../../src/engine/verify.ts";
import { type Entry, ledgerFaults } from "../../src/testing/ledger.ts";
import type { ChaosEngine } from "./chaos-engine.ts";
import { drain } from "./drain.ts";
import { repeatKeys } from "./load.ts";
import { prepare, scene } from "./scene.ts";

const drainMs = 45_000;
const shownMax = 10;

/** Adds to `told` what is said on the way. */
export async function settleAccounts(t: TestContext, running: ChaosEngine, told: Entry[], seed: number): Promise<void> {
  const { engine, store } = running;
  await prepare(engine);
  const last = scene({ ...running, seed, name: "last", note: (entry) => told.push(entry) });
  await repeatKeys(last, unansweredKeys(told));
  await drain(last, drainMs);
  const { tasks, events, faults } = await verify(store);
  t.diagnostic(
    `${count(told, "accepted")} accepts, ${count(told, "moved")} moves told; ${tasks} tasks, ${events} events`,
  );
  assert.deepEqual(faults.slice(0, shownMax), []);
  assert.deepEqual((await ledgerFaults(told, store)).slice(0, shownMax), []);
  assert.deepEqual(unansweredKeys(told), []);
}

export function count(told: readonly Entry[], what: Entry["what"]): number {
  return told.reduce((sum, entry) => sum + (entry.what === what ? 1 : 0), 0);
}

/** Keys whose callers never got an answer. */
export function unansweredKeys(told: readonly Entry[]): string[] {
  const answered = new Set(told.flatMap((entry) => (entry.what === "accepted" ? [callOf(entry.payload)] : [])));
  const tried = new Set(told.flatMap((entry) => (entry.what === "tried" ? [entry.key] : [])));
  return [...tried].filter((key) => !answered.has(key));
}

function callOf(payload: string): string {
  return (JSON.parse(payload) as { call: string }).call;
}
