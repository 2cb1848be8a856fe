import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { defaultSettings } from "../../src/engine/surroundings.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { settleAccounts } from "./accounts.ts";
import { newSeed } from "./chance.ts";
import { chaosEngine } from "./chaos-engine.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";
import { startVictim, type Victim } from "./victim.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

const together = 5_000;
const alone = 3_000;
/** The leader's lease of five seconds, one pulse of the one that follows, and what a busy machine adds. */
const followWithinMs = 10_000;

test("two servers that reach for the same tasks lose no move, whether one of them is frozen, or killed", {
  skip,
}, async (t) => {
  const seed = newSeed();
  t.diagnostic(`seed ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), "leadhand-peers-"));
  const place = { url: own.postgres.url, schema: own.schema() };
  const deadlocksBefore = await deadlocks();
  const peers = new Map(["one", "two"].map((name, index) => [name, startPeer(name, seed + index)]));

  function startPeer(name: string, seed: number): Victim {
    const { pulseMs, leaderLeaseMs } = defaultSettings;
    const settings = { pulseMs, leaderLeaseMs, node: { version: "chaos", address: name } };
    const files = {
      ledgerFile: join(folder, `ledger-${name}`),
      logFile: join(folder, "log"),
      cacheFolder: join(folder, "c"),
    };
    return startVictim({ place, name, seed, keys: [], peer: { settings }, ...files });
  }

  try {
    await Promise.all([...peers.values()].map((peer) => peer.acknowledged));
    // Not waits for anything: so long they contend.
    await pause(together);
    const frozen = await leaderGone(t, peers, place.schema, async (leader) => leader.freeze());
    // What it believes by now is long past: its workers are given up, their tasks are in other hands.
    frozen.thaw();
    await pause(together);
    await leaderGone(t, peers, place.schema, (leader) => leader.kill());
    await pause(alone);
    for (const peer of peers.values()) await peer.kill();
    for (const peer of peers.values()) assert.deepEqual(peer.faults, []);

    const told = [...peers.values()].flatMap((peer) => peer.ledger());
    const running = await chaosEngine(place, { log: recordedLog() });
    try {
      await settleAccounts(t, running, told, seed);
    } finally {
      await running.engine.stop();
    }
    assert.equal(deadlockReport(), "");
    assert.equal((await deadlocks()) - deadlocksBefore, 0);
  } finally {
    for (const peer of peers.values()) await peer.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Takes the leader away; the other has to take over. Answers the one that led. */
async function leaderGone(
  t: TestContext,
  peers: ReadonlyMap<string, Victim>,
  schema: string,
  takeAway: (leader: Victim) => Promise<void>,
): Promise<Victim> {
  const name = (await leaderOf(schema)) as string;
  const other = name === "one" ? "two" : "one";
  const [leader, follower] = [peers.get(name), peers.get(other)] as [Victim, Victim];
  const goneAt = performance.now();
  await takeAway(leader);
  const told = follower.ledger().length;
  await until(`${other} leads`, async () => (await leaderOf(schema)) === other, followWithinMs);
  t.diagnostic(`the other led after ${Math.round(performance.now() - goneAt)} ms`);
  await until(`${other} goes on`, () => follower.ledger().length > told + 100);
  return leader;
}

async function leaderOf(schema: string): Promise<string | undefined> {
  const [row] = await own.query<{ address: string }>(
    `select address from ${schema}.leader join ${schema}.node on node.id = leader.node`,
  );
  return row?.address;
}

async function deadlocks(): Promise<number> {
  const [row] = await own.query<{ deadlocks: string }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  return Number(row?.deadlocks);
}

/** What PostgreSQL says about the first deadlock: who waited for whom, with which statements. */
function deadlockReport(): string {
  const log = readFileSync(own.postgres.control.log, "utf8");
  return /deadlock detected.*?(?=STATEMENT|$)/s.exec(log)?.[0] ?? "";
}
