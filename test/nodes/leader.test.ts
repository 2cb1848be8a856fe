// Servers as processes of their own: who leads, and who takes over.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Client, type NodeSummary } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { freePort } from "../../tools/free-port.ts";
import { freshDatabase, withPostgres } from "../fresh-database.ts";
import { serve, temporaryFolder } from "../leadhand-process.ts";
import { hire } from "../sdk/scene.ts";

const leaseMs = 5_000;
/** Its lease has to end, then the other's next pulse finds it; the rest is for a busy machine. */
const leadsWithinMs = leaseMs + 1_000 + 2_000;

test("when the leader is killed another leads a lease and a pulse later", withPostgres, async (t) => {
  const DATABASE_URL = await freshDatabase();
  const LEADHAND_DATA = await temporaryFolder();
  const ports = [await freePort(), await freePort()] as const;
  const start = (port: number) =>
    serve(["--port", `${port}`, "--leader-lease", `${leaseMs / 1_000}s`], { DATABASE_URL, LEADHAND_DATA });
  const leader = await start(ports[0]);
  const other = await start(ports[1]);
  const token = (await readFile(join(LEADHAND_DATA, "admin-token"), "utf8")).trim();
  using client = new Client({ url: other.url, token });
  const nodes = async (about: (node: NodeSummary) => unknown) => (await client.nodes()).map(about);
  assert.deepEqual(await nodes(({ address, leader: leads }) => [address, leads]), [
    [`127.0.0.1:${ports[0]}`, true],
    [`127.0.0.1:${ports[1]}`, false],
  ]);

  const job = "lab:modifiers:Later";
  await hire({ url: other.url, token }, (worker) => worker.job(job, {}, async () => "done"), { link: "work" }).start();
  const killedAt = performance.now();
  leader.child.kill("SIGKILL");
  await leader.ended;
  // Only a leader makes what is delayed ready.
  const { id } = await client.submit(job, {}, { delayMs: 1 });
  await until("the other leads", async () => (await client.nodes()).at(-1)?.leader === true, 20_000);
  const tookMs = Math.round(performance.now() - killedAt);
  t.diagnostic(`another led after ${tookMs} ms`);
  assert.ok(tookMs <= leadsWithinMs, `another led after ${tookMs} ms`);
  assert.deepEqual(await nodes(({ online, leader: leads }) => [online, leads]), [
    [false, false],
    [true, true],
  ]);
  assert.equal((await client.wait(id, { timeoutMs: 15_000 })).status, "completed");
  assert.equal(await other.stop(), 0);
});
