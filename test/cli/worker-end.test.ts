import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { leadhand, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";

// Plain JavaScript that imports nothing: it lies outside of any package.
const slow = `
export const jobs = [{ name: "@global:modifiers:Slow", options: {}, handler: (task) => new Promise((resolve, reject) => {
  const timer = setTimeout(() => resolve({ ok: true }), 800);
  task.signal.addEventListener("abort", () => { clearTimeout(timer); reject(task.signal.reason); });
}) }];
`;

test("told to stop, a worker finishes what is in hand, says goodbye and ends well", async () => {
  const { url, admin } = await restScene();
  using client = new Client({ url, token: admin.token });
  const file = join(await temporaryFolder(), "slow.mjs");
  writeFileSync(file, slow);
  const worker = leadhand(["worker", file, "--name", "slow one"], { LEADHAND_URL: url, LEADHAND_TOKEN: admin.token });
  await until("the worker is ready", () => worker.err().includes("ready"), 20_000);
  const { id } = await client.submit("@global:modifiers:Slow");
  await until("the task runs", async () => (await client.get(id)).status === "running", 10_000);
  const names = async () => (await admin.get("/workers")).body.items.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names(), ["slow one"]);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0, worker.err());
  const { status, result } = await client.get(id);
  assert.deepEqual([status, result], ["completed", { ok: true }]);
  assert.deepEqual(await names(), []);
});
