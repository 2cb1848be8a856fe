// A disk without room: submits say so, everything else goes on as far as it can, and nothing that was said is lost.

import assert from "node:assert/strict";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import type { Holder } from "../../src/core/lease.ts";
import { Problem } from "../../src/core/problem.ts";
import type { TaskRecord } from "../../src/ports/records.ts";
import type { Entry } from "../../src/testing/ledger.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { settleAccounts } from "./accounts.ts";
import { newSeed } from "./chance.ts";
import { chaosEngine, type Place } from "./chaos-engine.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";
import { type Running, underLoad } from "./running.ts";
import { plainJob, prepare, type Scene, scene, type WantedTask } from "./scene.ts";
import { smallDisk } from "./small-disk.ts";
import { completion } from "./working.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

/** How to take the room away and how to give it back. */
interface Room {
  take(): void | Promise<void>;
  giveBack(): void | Promise<void>;
}

const batch = 50;
const words = { filling: "x".repeat(2_000) };
const batchesMax = 2_000;
const leaveBytes = 2_000_000;

function batchOfTasks(): WantedTask[] {
  return Array.from({ length: batch }, () => ({ words }));
}

/** Submits until the disk is full; then there must be a clear word, and life. Then there is room again. */
async function fillUp(t: TestContext, place: Place, { take, giveBack }: Room): Promise<void> {
  const told: Entry[] = [];
  const log = recordedLog();
  const running = await chaosEngine(place, { log });
  try {
    await prepare(running.engine);
    const stage = scene({ ...running, seed: 1, name: "full", note: (entry) => told.push(entry) });
    const held = await takeOne(stage);
    await take();
    const refusal = await submitUntilRefused(stage);
    assert.equal(refusal.code, "store-full");
    assert.equal(refusal.status, 503);
    assert.equal(refusal.retry, true);

    // It goes on saying so, to every caller, and goes on answering what needs no room.
    for (let tries = 0; tries < 5; tries += 1) assert.equal(await codeOf(stage), "store-full");
    const [read] = await running.store.read("tasks", { ids: [held.id] });
    assert.equal(read?.row.worker, held.holder.worker);
    assert.equal((await running.store.read("taskList", { limit: 10, offset: 0 })).items.length, 10);
    const settled = await stage.calls.settle(held.id, held.holder, completion(stage));
    assert.ok(!(settled instanceof Problem) || settled.code === "store-full", `${settled}`);

    await giveBack();
    assert.equal(await codeOf(stage), "accepted");
    await settleAccounts(t, running, told, newSeed());
  } finally {
    await running.engine.stop();
  }
}

/** A task in the hands of a worker while the disk gets full. */
async function takeOne(stage: Scene): Promise<{ id: string; holder: Holder }> {
  const [task] = (await stage.submit(batchOfTasks())) as readonly TaskRecord[];
  const jobs = new Map([[plainJob, null]]);
  const { id: worker } = await stage.engine.workers.register({ profile: "work", owner: null, jobs });
  await stage.calls.claim({ worker, limit: 1, assign: true, waitMs: 0 });
  return { id: task?.card.id as string, holder: { worker, attempt: 1 } };
}

async function submitUntilRefused(stage: Scene): Promise<Problem> {
  for (let count = 0; count < batchesMax; count += 1) {
    const answer = await stage.submit(batchOfTasks());
    if (answer instanceof Problem) return answer;
  }
  throw new Error("The disk does not get full");
}

async function codeOf(stage: Scene): Promise<string> {
  const answer = await stage.submit(batchOfTasks());
  return answer instanceof Problem ? answer.code : "accepted";
}

test("SQLite on a full disk refuses submits, answers reads, and goes on when there is room", async (t) => {
  const disk = smallDisk(24);
  if (disk === undefined) return t.skip("this process may not mount a small disk; the limit of the file is tested");
  t.diagnostic("on a file system of 24 MB");
  try {
    const file = join(disk.folder, "leadhand.db");
    await fillUp(t, { file }, { take: () => disk.fill(leaveBytes), giveBack: () => disk.free() });
  } finally {
    disk.remove();
  }
});

test("SQLite under load on a disk that is full for a while turns callers away, and then goes on by itself", async (t) => {
  const disk = smallDisk(64);
  if (disk === undefined) return t.skip("this process may not mount a small disk");
  const room = { take: () => disk.fill(0), giveBack: () => disk.free() };
  try {
    await underLoad(t, { file: join(disk.folder, "leadhand.db") }, (running) => comeAndGo(running, room));
  } finally {
    disk.remove();
  }
});

async function comeAndGo({ goesOn, turnedAway }: Running, { take, giveBack }: Room): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    await take();
    await turnedAway("store-full");
    await giveBack();
    await goesOn();
  }
}

test("a file that has reached its limit is a full disk to SQLite, until it is opened with a wider one", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-limit-"));
  const file = join(folder, "leadhand.db");
  t.diagnostic("with a limit of 4 MB on the file");
  try {
    const told: Entry[] = [];
    const narrow = await chaosEngine({ file, bytesMax: 2 * leaveBytes }, { log: recordedLog() });
    try {
      await prepare(narrow.engine);
      const stage = scene({ ...narrow, seed: 1, name: "narrow", note: (entry) => told.push(entry) });
      assert.equal((await submitUntilRefused(stage)).code, "store-full");
    } finally {
      await narrow.engine.stop();
    }
    const wide = await chaosEngine({ file }, { log: recordedLog() });
    await settleAccounts(t, wide, told, newSeed()).finally(() => wide.engine.stop());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A database whose tables are on a disk of their own; the log of PostgreSQL stays where there is room. */
async function onSmallDisk(t: TestContext, work: (place: Place, room: Room) => Promise<void>): Promise<void> {
  const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = own.postgres.control;
  const disk = smallDisk(64, { uid, gid });
  if (disk === undefined) return t.skip("this process may not mount a small disk; a database without writes is tested");
  t.diagnostic("tables on a file system of 64 MB");
  try {
    const tables = join(disk.folder, "tables");
    mkdirSync(tables);
    chownSync(tables, uid, gid);
    await own.query(`create tablespace small location '${tables}'`);
    await own.query("create database small tablespace small");
    const url = own.postgres.url.replace(/postgres$/, "small");
    const room = { take: () => disk.fill(leaveBytes), giveBack: () => disk.free() };
    await work({ url, schema: own.schema() }, room);
    await own.query("drop database small with (force)");
    await own.query("drop tablespace small");
  } finally {
    disk.remove();
  }
}

test("PostgreSQL on a full disk refuses submits, answers reads, and goes on when there is room", { skip }, (t) =>
  onSmallDisk(t, (place, room) => fillUp(t, place, room)),
);

// What hosted databases do when their disk is nearly full.
const readOnly: Room = { take: () => setReadOnly("on"), giveBack: () => setReadOnly("off") };

async function setReadOnly(value: "on" | "off"): Promise<void> {
  await own.query(`alter system set default_transaction_read_only = ${value}`);
  await own.query("select pg_reload_conf()");
}

test("a PostgreSQL that was made read-only is full to those who submit, and takes up again", { skip }, (t) =>
  fillUp(t, { url: own.postgres.url, schema: own.schema() }, readOnly),
);

test("a PostgreSQL under load that is read-only for a while turns callers away, and then goes on", { skip }, (t) =>
  underLoad(t, { url: own.postgres.url, schema: own.schema() }, (running) => comeAndGo(running, readOnly)),
);
