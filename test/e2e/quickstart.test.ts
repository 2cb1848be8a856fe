import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, temporaryFolder } from "../leadhand-process.ts";
import { readDocument } from "../shell-blocks.ts";
import { missing } from "./shell.ts";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const quickstart = fileURLToPath(new URL("../../examples/curl/quickstart.ts", import.meta.url));
const skip = missing("curl");

test("the quickstart goes as the README shows it, ends by itself and leaves nothing", { skip }, async () => {
  const TMPDIR = await temporaryFolder();
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await execute("npm", ["run", "--silent", "quickstart"], { cwd: root, env: { ...env, TMPDIR } });
  const readme = readDocument("README.md");
  for (const who of ["worker", "submit"]) {
    const lines = linesOf(who, shortened(stdout));
    assert.deepEqual(lines, linesOf(who, readme));
    assert.ok(lines.length > 4);
  }
  // npm keeps a cache of its own there.
  const left = (await readdir(TMPDIR)).filter((name) => name !== "node-compile-cache");
  assert.deepEqual(left, []);
});

test("where there is no curl the quickstart says so, and what to do instead", async () => {
  const { code, err } = await run([], { PATH: await temporaryFolder(), TMPDIR: await temporaryFolder() }, quickstart);
  assert.match(err, /not found here: sh, curl\.\n`npm run demo` shows/);
  assert.equal(code, 1);
});

test("an interrupted quickstart leaves nothing behind", { skip }, async () => {
  const TMPDIR = await temporaryFolder();
  const interrupted = leadhand([], { TMPDIR }, quickstart);
  await until("the worker waits for work", () => interrupted.out().includes("/tasks/claim"), 20_000);
  interrupted.child.kill("SIGTERM");
  assert.equal(await interrupted.ended, 143);
  assert.deepEqual(await readdir(TMPDIR), []);
});

function linesOf(who: string, text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${who} | `))
    .map((line) => line.trimEnd());
}

function shortened(text: string): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "…")
    .replaceAll(/Idempotency-Key: [^']+/g, "Idempotency-Key: …")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "…")
    .replaceAll(/"lease_token": "[^"]+"/g, '"lease_token": "…"')
    .replaceAll(/^(\w+ \| \d{3} )\{.*$/gm, "$1{…}");
}
