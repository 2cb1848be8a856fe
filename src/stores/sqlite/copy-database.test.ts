import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { aCall, aJob, aLaneKey, aTask } from "../../testing/builders.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { copyDatabase } from "./copy-database.ts";
import { lookInto } from "./look-into.ts";
import { sqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "leadhand-copy-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
const aFile = (): string => join(folder, `${++made}.db`);

async function openStore(file: string) {
  const store = sqliteStore({ file, log: recordedLog() });
  await store.start();
  return store;
}

async function withATask(file: string) {
  const store = await openStore(file);
  const job = aJob();
  const { lanes } = await store.amend({ jobs: [job.name] }, () => ({ answer: null, jobs: [job], lanes: [aLaneKey()] }));
  const task = aTask({ lane: lanes[0]?.id ?? 0 });
  await store.submit([aCall({ tasks: [task], jobs: [job] })]);
  return { store, id: task.card.id };
}

test("a copy of a database in use is one whole file, and tells how far it is", async () => {
  const file = aFile();
  const target = aFile();
  const { store, id } = await withATask(file);
  const shares: number[] = [];
  const bytes = await copyDatabase(file, target, (share) => shares.push(share));
  await store.stop();
  assert.ok(bytes > 0);
  assert.equal(shares.at(-1), 1);
  const look = lookInto(target);
  const [history] = await look.read("histories", { after: null, limit: 10 });
  assert.equal(history?.task.card.id, id);
  await look.close();
  for (const beside of ["-wal", "-shm", "-journal", ".partial"]) assert.equal(existsSync(`${target}${beside}`), false);
});

test("a copy that is interrupted, or would be written over another, leaves nothing", async () => {
  const file = aFile();
  const target = aFile();
  await (await openStore(file)).stop();
  const interrupt = (): never => {
    throw new Error("Enough");
  };
  await assert.rejects(copyDatabase(file, target, interrupt), /Enough/);
  assert.equal(existsSync(target), false);
  assert.equal(existsSync(`${target}.partial`), false);
  await copyDatabase(file, target);
  await assert.rejects(copyDatabase(file, target), /exists already/);
  await assert.rejects(copyDatabase(file, join(folder, "no", "such", "folder")), /cannot be made/);
});
