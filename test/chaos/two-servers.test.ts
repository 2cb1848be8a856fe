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

const together = 10_000;
const alone = 3_000;
/** The leader's lease of five seconds, one pulse of the one that follows, and what a busy machine adds. */
const followWithinMs = 7_500;

test("two servers on one database that reach for the same tasks lose no move, and one goes on when the other is killed", {
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
    // Not a wait for anything: so long they contend.
    await pause(together);
    await killTheLeader(t, peers, place.schema);
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

async function killTheLeader(t: TestContext, peers: ReadonlyMap<string, Victim>, schema: string): Promise<void> {
  const leader = await leaderOf(schema);
  const follower = leader === "one" ? "two" : "one";
  const diedAt = performance.now();
  await peers.get(leader as string)?.kill();
  const survivor = peers.get(follower) as Victim;
  const told = survivor.ledger().length;
  await until(`${follower} leads`, async () => (await leaderOf(schema)) === follower, followWithinMs);
  t.diagnostic(`the other led after ${Math.round(performance.now() - diedAt)} ms`);
  await until(`${follower} goes on`, () => survivor.ledger().length > told + 100);
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
