// The database and the data directory of the settings, where this machine has them: what a server here would find.

import { existsSync } from "node:fs";
import { open, statfs, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { spanText } from "../../core/time-text.ts";
import { ConfigError, processConfig } from "../../server/config.ts";
import { type Database, databaseName, databaseOf } from "../../server/database.ts";
import type { Config } from "../../server/settings/settings.ts";
import { systemSecret } from "../../server/system.ts";
import type { Asking } from "../asking-command.ts";
import { counted } from "../counted.ts";
import { faultText } from "../fault-text.ts";
import { brokerChecks } from "./broker-checks.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

export async function dataChecks({ flags, now }: Asking): Promise<readonly Finding[]> {
  let config: Config;
  try {
    ({ config } = processConfig(flags["data"] === undefined ? {} : { data: flags["data"] }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [fail("settings", error.faults.join("; "), "`leadhand config` lists all settings")];
  }
  const database = databaseOf(config);
  const data = resolve(config.data);
  const hasData = existsSync(data);
  const isHere = database.kind === "postgres" || existsSync(database.file);
  return [
    ...(config.amqpUrl === null ? [] : await brokerChecks(config)),
    ...(isHere ? [await databaseFinding(database)] : []),
    ...(hasData ? [await spaceFinding(data), await syncFinding(data, now)] : []),
    ...(isHere || hasData ? [] : [ok("data", `no server's data here (${data}); nothing to look at`)]),
  ];
}

async function databaseFinding(database: Database): Promise<Finding> {
  const name = databaseName(database);
  try {
    const [{ migrateDatabase }, { commandLog }] = await Promise.all([
      import("../../server/migrate-database.ts"),
      import("../command-log.ts"),
    ]);
    const log = commandLog({ logFormat: "text" });
    const { applied, pending } = await migrateDatabase(database, { log, dryRun: true });
    const text = `${database.kind} at ${name}, version ${applied.at(-1)?.version ?? 0}`;
    if (pending.length === 0) return ok("database", text);
    return warn(
      "database",
      `${text}, lacks ${counted(pending.length, "migration")}`,
      "`leadhand migrate` applies them",
    );
  } catch (error) {
    return fail("database", `${name}: ${faultText(error)}`, "look whether it is there, and what may be done with it");
  }
}

const gib = 2 ** 30;

async function spaceFinding(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${(free / gib).toFixed(1)} GiB free for ${folder}`;
  if (free > gib) return ok("space", text);
  const advice = "make room, or set LEADHAND_RETENTION; a full disk refuses every task";
  return free > gib / 10 ? warn("space", text, advice) : fail("space", text, advice);
}

const syncs = 9;
const slowMs = 20;

/** Every commit waits for the disk once; this is how long. */
async function syncFinding(folder: string, now: () => number): Promise<Finding> {
  const file = join(folder, `.doctor-${systemSecret()}`);
  try {
    const ms = await syncMs(file, now);
    const text = `a write reaches the disk in ${spanText(ms)}`;
    if (ms <= slowMs) return ok("disk", text);
    return warn("disk", text, "put the data folder on a faster disk; every commit waits that long");
  } catch (error) {
    return fail("disk", `${folder} cannot be written to: ${faultText(error)}`, "look at its owner and its rights");
  } finally {
    await unlink(file).catch(() => undefined);
  }
}

/** The time in the middle of several. */
async function syncMs(file: string, now: () => number): Promise<number> {
  const handle = await open(file, "wx", 0o600);
  try {
    const times: number[] = [];
    for (let nth = 0; nth < syncs; nth++) {
      const from = now();
      await handle.write(Buffer.alloc(4_096, nth));
      await handle.sync();
      times.push(now() - from);
    }
    return times.sort((a, b) => a - b)[Math.floor(syncs / 2)] ?? 0;
  } finally {
    await handle.close();
  }
}
