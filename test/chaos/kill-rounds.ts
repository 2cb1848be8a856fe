// An engine that is killed again and again under load, and started again on what it left behind.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Entry } from "../../src/testing/ledger.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { count, settleAccounts, unansweredKeys } from "./accounts.ts";
import { type Chance, chance, newSeed } from "./chance.ts";
import { chaosEngine, lostMs, type Place } from "./chaos-engine.ts";
import { startVictim, type Victim } from "./victim.ts";

const rounds = 50;
/** Every so many rounds one lives long enough to give up the workers of those before it. */
const longEvery = 10;
/** Every so many rounds one is killed while it starts, the first of all while it makes its tables. */
const earlyEvery = 7;

export async function killedAgainAndAgain(t: TestContext, place: Place): Promise<void> {
  const seed = newSeed();
  const folder = mkdtempSync(join(tmpdir(), "leadhand-kill-"));
  t.diagnostic(`seed ${seed}`);
  try {
    const told = await killRounds(place, folder, seed);
    await afterwards(t, place, told, seed);
  } catch (error) {
    t.diagnostic(`log: ${tail(join(folder, "log"))}`);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killRounds(place: Place, folder: string, seed: number): Promise<Entry[]> {
  const when = chance(seed);
  const told: Entry[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const victim = startVictim({
      place,
      name: `r${round}`,
      seed: when.below(2 ** 31),
      ledgerFile: join(folder, `ledger-${round}`),
      logFile: join(folder, "log"),
      cacheFolder: join(folder, "compiled"),
      keys: unansweredKeys(told),
    });
    try {
      await momentOfDeath(round, victim, when);
    } finally {
      await victim.kill();
    }
    assert.deepEqual(victim.faults, [], `round ${round}`);
    told.push(...victim.ledger());
  }
  return told;
}

/** Not a wait for anything: the moment is drawn. */
async function momentOfDeath(round: number, victim: Victim, when: Chance): Promise<void> {
  if (round % earlyEvery === 1) return void (await Promise.race([victim.acknowledged, pause(when.between(50, 500))]));
  await victim.acknowledged;
  await pause(round % longEvery === 0 ? when.between(lostMs, lostMs + 500) : when.between(30, 300));
}

async function afterwards(t: TestContext, place: Place, told: Entry[], seed: number): Promise<void> {
  const acknowledged = count(told, "accepted") + count(told, "moved");
  assert.ok(acknowledged > 10 * rounds, `there was a load: ${acknowledged} answers`);
  const running = await chaosEngine(place, { log: recordedLog() });
  try {
    await settleAccounts(t, running, told, seed);
  } finally {
    await running.engine.stop();
  }
}

function tail(file: string): string {
  try {
    return readFileSync(file, "utf8").split("\n").slice(-20).join("\n");
  } catch {
    return "empty";
  }
}
