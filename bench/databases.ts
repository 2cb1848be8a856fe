// The databases of a run: files in a folder of their own, a private PostgreSQL with durable defaults, and a private
// Redis or RabbitMQ for those that need one. All of it is gone afterwards.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { type Postgres, startPostgres } from "../tools/postgres.ts";
import { type Rabbitmq, rabbitmqPid, startRabbitmq } from "../tools/rabbitmq.ts";
import { type Redis, startRedis } from "../tools/redis.ts";
import type { Broker } from "./measure.ts";
import type { StoreName } from "./options.ts";
import type { Place } from "./place.ts";
import { logSettings } from "./statement-log.ts";

export interface Databases {
  readonly folder: string;
  /** A database of this name, new and empty, or a copy of another one. */
  make(store: StoreName, name: string, from: string | null): Promise<Place>;
  drop(store: StoreName, name: string): Promise<void>;
  /** Leaves PostgreSQL as it would be after a while: statistics taken, pages marked as visible to all. */
  tidy(place: Place): Promise<void>;
  /** Lets PostgreSQL write out what earlier runs left behind, so that it is not paid for by the next. */
  settle(store: StoreName): Promise<void>;
  postgresVersion(): Promise<string>;
  /** The same for all who ask. */
  broker(): Promise<Broker>;
  stop(): Promise<void>;
}

export function databases(): Databases {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-bench-"));
  let starting: Promise<Postgres> | null = null;
  let brokering: Promise<Rabbitmq> | null = null;
  const redises = new Map<string, Redis>();
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);

  function postgres(): Promise<Postgres> {
    starting ??= startPostgres({ settings: logSettings });
    return starting;
  }

  async function admin(sql: string, url?: string): Promise<unknown[]> {
    const client = new Client({ connectionString: url ?? (await postgres()).url });
    await client.connect();
    try {
      return (await client.query({ text: sql, rowMode: "array" })).rows;
    } finally {
      await client.end();
    }
  }

  /** By files: quicker for large ones than through the write-ahead log. Before 15 there was no other way. */
  async function copyOf(from: string): Promise<string> {
    const [row] = (await admin("show server_version_num")) as string[][];
    return `template "${databaseName(from)}" ${Number(row?.[0]) >= 150_000 ? "strategy file_copy" : ""}`;
  }

  return {
    folder,
    async make(store, name, from) {
      if (store === "memory") return { kind: "memory" };
      const own = join(folder, name);
      mkdirSync(own, { recursive: true });
      if (store === "redis" || store === "redis-fsync") {
        const redis = await startRedis({ folder: own, appendfsync: store === "redis" ? "everysec" : "always" });
        redises.set(name, redis);
        return { kind: "redis", port: redis.port, version: redis.version };
      }
      if (store === "sqlite") return makeFile(own, from === null ? null : join(folder, from));
      const database = databaseName(name);
      await admin(`create database "${database}" ${from === null ? "" : await copyOf(from)}`);
      const { url, control } = await postgres();
      const serverPid = Number.parseInt(readFileSync(join(control.data, "postmaster.pid"), "utf8"), 10);
      const placed = { kind: "postgres", database, logFile: control.log, serverPid, folder: own } as const;
      return { ...placed, url: url.replace(/\/postgres$/, `/${database}`) };
    },
    async drop(store, name) {
      await redises.get(name)?.stop();
      redises.delete(name);
      rmSync(join(folder, name), { recursive: true, force: true });
      if (store === "postgres") await admin(`drop database if exists "${databaseName(name)}" with (force)`);
    },
    async tidy(place) {
      if (place.kind === "postgres") await admin("vacuum (analyze)", place.url);
    },
    async settle(store) {
      if (store === "postgres") await admin("checkpoint");
    },
    async postgresVersion() {
      const [row] = (await admin("show server_version")) as string[][];
      return row?.[0] ?? "unknown";
    },
    async broker() {
      brokering ??= startRabbitmq();
      const { url, control } = await brokering;
      return { url, pid: await rabbitmqPid(control) };
    },
    async stop() {
      for (const redis of redises.values()) await redis.stop();
      await (await brokering)?.stop();
      await (await starting)?.stop();
      process.off("exit", removeFolder);
      removeFolder();
    },
  };
}

/** As a server names its database. */
const files = ["leadhand.db", "leadhand.db-wal"];

function makeFile(folder: string, from: string | null): Place {
  for (const name of files) {
    if (from !== null && existsSync(join(from, name))) copyFileSync(join(from, name), join(folder, name));
  }
  return { kind: "sqlite", file: join(folder, "leadhand.db"), folder };
}

function databaseName(name: string): string {
  return `bench_${name.replaceAll("-", "_")}`;
}
