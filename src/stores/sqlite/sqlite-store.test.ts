import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { uuid7 } from "../../core/uuid7.ts";
import type { Store } from "../../ports/store.ts";
import { aCall, aSlice, aTask, aWrite } from "../../testing/builders.ts";
import { worldStart } from "../../testing/manual-clock.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { complete, stageOn } from "../../testing/store-contract/stage.ts";
import { storeContract } from "../../testing/store-contract.ts";
import { until } from "../../testing/until.ts";
import { copyDatabase } from "./copy-database.ts";
import { migrationState, migrations } from "./migrate.ts";
import { sqliteStore } from "./sqlite-store.ts";

storeContract("sqlite store", async () => {
  const folder = temporaryFolder();
  const store = sqliteStore({ file: join(folder, "leadhand.db"), log: recordedLog() });
  return { store, dispose: async () => remove(folder) };
});

test("a second server on the same file is refused by name, by whatever path it comes, until the first has gone", async (t) => {
  const file = temporaryFile(t);
  const store = await started(t, file);
  const link = join(dirname(file), "link.db");
  symlinkSync(file, link);
  const taken = { name: "Problem", code: "store-unavailable", message: `${file} is in use by another server` };
  await assert.rejects(sqliteStore({ file, log: recordedLog() }).start(), taken);
  await assert.rejects(sqliteStore({ file: link, log: recordedLog() }).start(), taken);
  assert.match((await inAnotherProcess(file, "await store.start();")).error, /is in use by another server/);
  await put(store, 1);
  await store.stop();
  assert.equal((await inAnotherProcess(file, "await store.start(); await store.stop();")).error, "");
});

test("what was answered is there after a kill, and the next server starts at once", async (t) => {
  const file = temporaryFile(t);
  const { output } = await inAnotherProcess(
    file,
    `
    await store.start();
    for (let n = 1; ; n += 1) {
      await store.submit([aCall({ tasks: [aTask({ id: taskId(n) })] })]);
      process.stdout.write(n + "\\n");
    }`,
    200,
  );
  const answered = Number(output.trimEnd().split("\n").at(-1));
  const store = await started(t, file);
  const { total } = await store.read("taskList", { limit: 1, offset: 0 });
  assert(answered >= 200 && (total === answered || total === answered + 1), `${answered} answered, ${total} kept`);
  assert.equal(integrity(file), "ok");
});

test("the file can be read by its owner alone", async (t) => {
  const file = temporaryFile(t);
  await started(t, file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("a store that is not open, or no longer, says so", async (t) => {
  const file = temporaryFile(t);
  const store = sqliteStore({ file, log: recordedLog() });
  const closed = { name: "Problem", code: "store-unavailable" };
  await assert.rejects(store.submit([]), closed);
  await store.start();
  await store.stop();
  await store.stop();
  await assert.rejects(store.read("depths", {}), closed);
});

test("reads that are under way when the store stops are answered", async (t) => {
  const store = await started(t, temporaryFile(t));
  const reads = Array.from({ length: 20 }, () => store.read("depths", {}));
  await store.stop();
  assert.deepEqual(await Promise.all(reads), Array(20).fill([]));
});

test("migrations are told apart by what has run, and run once", async (t) => {
  const file = temporaryFile(t);
  const { secret } = await (await started(t, file)).start();
  const [applied, pending] = inFile(file, (db) => Object.values(migrationState(db)));
  assert(applied.length > 0);
  assert.deepEqual(pending, []);
  assert.deepEqual(
    inFile(":memory:", (db) => migrationState(db)),
    { applied: [], pending: applied },
  );
  const log = recordedLog();
  const again = sqliteStore({ file: join(dirname(file), "other.db"), log });
  await again.start();
  await again.stop();
  assert.equal(log.lines.filter((line) => line.message === "Database migrated").length, applied.length);
  const info = await again.start();
  await again.stop();
  assert.equal(log.lines.length, applied.length, "nothing is left to do");
  assert.notEqual(info.secret, secret, "each database has a secret of its own");
});

test("a database of a newer release is used unless it says that this one cannot, and left as it is", async (t) => {
  const file = temporaryFile(t);
  await (await started(t, file)).stop();
  inFile(file, (db) => db.exec("update meta set schema_version = 999"));
  await (await started(t, file)).stop();
  inFile(file, (db) => db.exec("update meta set floor = 999"));
  await assert.rejects(sqliteStore({ file, log: recordedLog() }).start(), /is at version 999 of the schema/);
  inFile(file, (db) => db.exec(`update meta set floor = ${migrations().at(-1)?.version}`));
  await started(t, file);
});

test("what very many requests have left on a coordinator goes in slices, and the coordinator with the last", async (t) => {
  const file = temporaryFile(t);
  const stage = stageOn(await started(t, file));
  const lane = await stage.begin();
  await stage.submit(aTask({ id: uuid7(worldStart, 1, new Uint8Array(8)), lane }));
  const task = await stage.claim(lane, { assign: true });
  await stage.settle(task, [complete]);
  const later = uuid7(worldStart, 2, new Uint8Array(8));
  await stage.submit(aTask({ id: later, lane }));
  await stage.settle(await stage.claim(lane, { assign: true }), [complete]);
  inFile(file, (db) => {
    db.exec(`
      insert into message_mark (task, chunk, done, failed)
      with recursive many (n) as (select 0 union all select n + 1 from many where n < 4499)
      select '${task.card.id}', n, x'', x'' from many`);
  });
  const marks = () => inFile(file, (db) => db.prepare("select count(*) n from message_mark").get()?.["n"]);
  const old = aSlice({ finishedBefore: worldStart + 60_000, limit: 10 });
  const went = [];
  for (let n = 0; n < 3; n += 1) went.push([await stage.store.prune(old), marks()]);
  assert.equal(await stage.task(later), undefined);
  assert.deepEqual(went, [
    [10, 2_500],
    [10, 500],
    [1, 0],
  ]);
});

test("a file that is something else is refused by name", async (t) => {
  const file = temporaryFile(t);
  inFile(file, (db) => db.exec("create table cake (layers integer)"));
  await assert.rejects(sqliteStore({ file, log: recordedLog() }).start(), /leadhand.db is a database, but not one of/);
  const folder = join(dirname(file), "folder");
  mkdirSync(folder);
  await assert.rejects(sqliteStore({ file: folder, log: recordedLog() }).start(), {
    message: `${folder} cannot be opened: unable to open database file`,
  });
});

test("a full store refuses, keeps what it has, goes on reading, and takes more when there is room again", async (t) => {
  const store = sqliteStore({ file: temporaryFile(t), log: recordedLog(), bytesMax: 3_000_000 });
  await store.start();
  t.after(() => store.stop());
  const stage = stageOn(store);
  const lane = await stage.begin();
  await put(store, 500, lane);
  const held = await stage.claims([lane], { limit: 500, assign: true });
  await store.exchange(
    held.map((task) => aWrite(task, [complete], worldStart)),
    [],
    worldStart,
  );
  let accepted = 500;
  const fill = async () => {
    for (;;) accepted += await put(store, 50, lane);
  };
  const full = { name: "Problem", code: "store-full", retry: true };
  await assert.rejects(fill(), full);
  await assert.rejects(put(store, 50, lane), full, "and again");
  assert.equal((await store.read("taskList", { limit: 1, offset: 0 })).total, accepted);
  assert.equal(await store.prune(aSlice({ finishedBefore: worldStart + 1, limit: 500 })), 500);
  assert.equal(await put(store, 50, lane), 50);
  assert.equal((await store.read("taskList", { limit: 1, offset: 0 })).total, accepted - 500 + 50);
});

test("a copy of a busy file is whole, and can be started", async (t) => {
  const file = temporaryFile(t);
  const target = join(dirname(file), "copy.db");
  const store = await started(t, file);
  for (let n = 0; n < 10; n += 1) await put(store, 1_000);
  let copied = false;
  const copy = copyDatabase(file, target).then(() => {
    copied = true;
  });
  let during = 0;
  while (!copied) {
    during += await put(store, 10);
    await new Promise(setImmediate);
  }
  await copy;
  assert(during > 0);
  assert.equal(integrity(target), "ok");
  const { secret } = await store.start();
  const second = await started(t, target);
  assert.equal((await second.start()).secret, secret);
  const histories = await second.read("histories", { after: null, limit: 100_000 });
  assert(histories.length >= 10_000 && histories.length % 10 === 0, "whole calls only");
});

test("commits reach the file while the store is open", async (t) => {
  const file = temporaryFile(t);
  const store = await started(t, file);
  await until("the log is copied", () => statSync(file).size > 0);
  const before = statSync(file).size;
  await put(store, 5_000);
  await until("the log is copied again", () => statSync(file).size > before + 1_000_000);
});

let submitted = 0;

async function put(store: Store, count: number, lane = 1): Promise<number> {
  const tasks = Array.from({ length: count }, () => aTask({ id: nextId(), lane, payload: `"${"x".repeat(200)}"` }));
  await store.submit([aCall({ tasks })]);
  return count;
}

function nextId(): string {
  submitted += 1;
  return uuid7(worldStart, submitted & 0xfff, Uint8Array.of(submitted >>> 12, 0, 0, 0, 0, 0, 0, 0));
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "leadhand-sqlite-"));
}

function temporaryFile(t: TestContext): string {
  const folder = temporaryFolder();
  t.after(() => remove(folder));
  return join(folder, "leadhand.db");
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

async function started(t: TestContext, file: string): Promise<Store> {
  const store = sqliteStore({ file, log: recordedLog() });
  await store.start();
  t.after(() => store.stop());
  return store;
}

function inFile<T>(file: string, look: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return look(db);
  } finally {
    db.close();
  }
}

function integrity(file: string): unknown {
  return inFile(file, (db) => db.prepare("pragma integrity_check").get()?.["integrity_check"]);
}

/** Runs a piece of program with a `store` on the file; kills it once it has said so many lines. */
async function inAnotherProcess(file: string, program: string, killAfterLines = Number.POSITIVE_INFINITY) {
  const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const text = `
    const { sqliteStore } = await import(${from("./sqlite-store.ts")});
    const { aCall, aTask, taskId } = await import(${from("../../testing/builders.ts")});
    const { recordedLog } = await import(${from("../../testing/recorded-log.ts")});
    const store = sqliteStore({ file: ${JSON.stringify(file)}, log: recordedLog() });
    ${program}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", text]);
  const said = { output: "", error: "" };
  child.stdout.on("data", (data) => {
    said.output += data;
    if (said.output.split("\n").length > killAfterLines) child.kill("SIGKILL");
  });
  child.stderr.on("data", (data) => {
    said.error += data;
  });
  await once(child, "close");
  return said;
}
