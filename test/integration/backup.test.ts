import assert from "node:assert/strict";
import { copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { leadhand, run, serve, temporaryFolder } from "../leadhand-process.ts";

const busyServer = fileURLToPath(new URL("./busy-server.ts", import.meta.url));

test("a backup of a server under load is whole: every history in it is sound, and a server runs on it", async () => {
  const data = await temporaryFolder();
  const folder = await temporaryFolder();
  const target = join(folder, "copy.db");
  const busy = leadhand([data], {}, busyServer);
  await until("tasks are completed", () => /completed [1-9]/.test(busy.out()), 20_000);
  const backup = await run(["backup", target, "--data", data]);
  assert.equal(backup.err, "");
  assert.equal(backup.code, 0);
  assert.equal(busy.child.exitCode, null, "it was at work all the while");
  busy.child.kill("SIGTERM");
  assert.equal(await busy.ended, 0, busy.err());

  assert.deepEqual(await readdir(folder), ["copy.db"], "one file and nothing beside it");
  assert.equal((await stat(target)).mode & 0o777, 0o600);
  const verified = await run(["verify", target, "--json"]);
  assert.equal(verified.code, 0);
  const { tasks, events, faults } = JSON.parse(verified.out);
  assert.deepEqual(faults, []);
  assert.ok(tasks >= 100 && events > tasks, verified.out);

  const restored = await temporaryFolder();
  await copyFile(target, join(restored, "leadhand.db"));
  const server = await serve(["--data", restored]);
  assert.equal((await fetch(`${server.url}/health/ready`)).status, 200);
  assert.equal(await server.stop(), 0);
});

test("a backup overwrites nothing and makes nothing of nothing", async () => {
  const data = await temporaryFolder();
  const target = join(await temporaryFolder(), "precious");
  await writeFile(target, "precious");
  assert.equal((await run(["migrate", "--data", data])).code, 0);
  const refused = await run(["backup", target, "--data", data]);
  assert.equal(refused.code, 1);
  assert.equal(refused.err, `leadhand backup: ${target} exists already; a backup overwrites nothing\n`);
  assert.equal(await readFile(target, "utf8"), "precious");

  const empty = await temporaryFolder();
  const nothing = await run(["backup", `${target}2`, "--data", empty]);
  assert.equal(nothing.code, 1);
  assert.match(nothing.err, /leadhand\.db does not exist\n$/);
  assert.deepEqual(await readdir(empty), []);
});

test("a backup without a target is a mistake in the command line", async () => {
  const answer = await run(["backup"]);
  assert.equal(answer.code, 2);
  assert.match(answer.err, /TARGET is missing/);
});
