import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { temporaryFolder } from "../leadhand-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("npx leadhand serve runs a server in a clone, and ends it when npx is told to end", async (t) => {
  const data = await temporaryFolder();
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const npx = spawn("npx", ["leadhand", "serve", "--port", "0", "--data", data], { cwd: root, env, detached: true });
  const closed = once(npx, "close");
  let over = false;
  void closed.then(() => (over = true));
  t.after(() => over || process.kill(-Number(npx.pid), "SIGKILL"));
  let out = "";
  npx.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  npx.stderr.resume();
  await until("the server is ready", () => /^leadhand ready http\S+\n$/.test(out), 30_000);
  const url = out.trim().split(" ").at(-1);
  assert.equal((await fetch(`${url}/health/ready`)).status, 200);
  npx.kill("SIGTERM");
  // Its output closes when the last process that holds it is gone: that is the server.
  await until("the server has ended", () => over, 10_000);
  await assert.rejects(fetch(`${url}/health`));
});
