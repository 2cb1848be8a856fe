import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import type { Place } from "./chaos-engine.ts";
import { comeAndGo, fillUp, type Room } from "./filling.ts";
import { type PrivatePostgres, privatePostgres } from "./private-postgres.ts";
import { underLoad } from "./running.ts";
import { smallDisk } from "./small-disk.ts";

const own = (await privatePostgres()) as PrivatePostgres;
const skip = own === undefined && "no PostgreSQL";
after(() => own?.postgres.stop());

const leaveBytes = 2_000_000;

// What hosted databases do when their disk is nearly full; also what stands for a full disk where none may be mounted.
const readOnly: Room = { take: () => setReadOnly("on"), giveBack: () => setReadOnly("off") };

async function setReadOnly(value: "on" | "off"): Promise<void> {
  await own.query(`alter system set default_transaction_read_only = ${value}`);
  await own.query("select pg_reload_conf()");
}

/** A database whose tables are on a disk of their own; the log of PostgreSQL stays where there is room. */
async function onSmallDisk(t: TestContext, work: (place: Place, room: Room) => Promise<void>): Promise<void> {
  const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = own.postgres.control;
  const disk = smallDisk(64, { uid, gid });
  if (disk === undefined) {
    t.diagnostic("no disk may be mounted here: the database is made read-only instead");
    return work({ url: own.postgres.url, schema: own.schema() }, readOnly);
  }
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

test("a PostgreSQL that was made read-only is full to those who submit, and takes up again", { skip }, (t) =>
  fillUp(t, { url: own.postgres.url, schema: own.schema() }, readOnly),
);

test("a PostgreSQL under load that is read-only for a while turns callers away, and goes on", { skip }, (t) =>
  underLoad(t, { url: own.postgres.url, schema: own.schema() }, (running) => comeAndGo(running, readOnly)),
);
