import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { aToken } from "../../testing/builders.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { amendBeside } from "./amend-beside.ts";
import { sqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "leadhand-beside-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a change beside a server is seen by it at once, and both go on writing", async () => {
  const file = join(folder, "beside.db");
  const store = sqliteStore({ file, log: recordedLog() });
  await store.start();
  const beside = amendBeside(file);
  const tokens = [0, 1, 2, 3].map((n) => aToken({ id: `t${n}`, hash: `${n}`.repeat(64) }));
  for (const [n, token] of tokens.entries()) {
    await (n % 2 === 0 ? beside : store).amend({}, () => ({ answer: null, tokens: [token] }));
    assert.deepEqual(await store.read("token", { id: token.id }), token);
  }
  await beside.close();
  await store.amend({}, () => ({ answer: null, tokens: [aToken({ id: "t9", hash: "9".repeat(64) })] }));
  await store.stop();
});

test("a change to a database that no server has open leaves one file", async () => {
  const file = join(folder, "alone", "alone.db");
  const store = sqliteStore({ file, log: recordedLog() });
  await store.start();
  await store.stop();
  const beside = amendBeside(file);
  await beside.amend({}, () => ({ answer: null, tokens: [aToken()] }));
  await beside.close();
  assert.deepEqual(readdirSync(join(folder, "alone")), ["alone.db", "alone.db.lock"]);
  await store.start();
  assert.deepEqual(await store.read("token", { id: "t1" }), aToken());
  await store.stop();
});

test("what fails changes nothing, and what does not exist is not made", async () => {
  const file = join(folder, "fails.db");
  assert.throws(() => amendBeside(file), /does not exist/);
  const store = sqliteStore({ file, log: recordedLog() });
  await store.start();
  const beside = amendBeside(file);
  const twins = [aToken({ id: "a" }), aToken({ id: "b" })];
  await assert.rejects(beside.amend({}, () => ({ answer: null, tokens: twins })));
  assert.equal((await store.read("tokens", { limit: 9, offset: 0 })).total, 0);
  await beside.close();
  await store.stop();
});
