import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { aCall, aJob, aLaneKey, aTask } from "../../testing/builders.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { lookInto } from "./look-into.ts";
import { sqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "leadhand-look-"));
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

test("a look sees what a running server has answered", async () => {
  const file = aFile();
  const { store, id } = await withATask(file);
  const look = lookInto(file);
  const histories = await look.read("histories", { after: null, limit: 10 });
  assert.deepEqual(
    histories.map(({ task }) => task.card.id),
    [id],
  );
  assert.equal(look.migrations.pending.length, 0);
  await look.close();
  await store.stop();
});

test("a look at nothing makes nothing", () => {
  const file = aFile();
  assert.throws(() => lookInto(file), { message: `${file} does not exist` });
  assert.equal(existsSync(file), false);
});

test("a look tells what a database lacks, and what is too new for it", async () => {
  const empty = aFile();
  new DatabaseSync(empty).exec("vacuum");
  const look = lookInto(empty);
  assert.deepEqual(look.migrations.applied, []);
  assert.equal(look.migrations.pending[0]?.version, 1);
  await assert.rejects(look.read("histories", { after: null, limit: 1 }), /lacks a migration/);
  await look.close();

  const newer = aFile();
  await (await openStore(newer)).stop();
  const db = new DatabaseSync(newer);
  db.exec("update meta set schema_version = 99");
  const there = lookInto(newer);
  assert.deepEqual(there.migrations.applied.at(-1), { version: 99, name: null });
  assert.equal(there.migrations.tooNew, false, "it only has more than this release knows");
  db.exec("update meta set floor = 99");
  db.close();
  const later = lookInto(newer);
  assert.equal(later.migrations.tooNew, true);
  await later.close();
  await there.close();
});
