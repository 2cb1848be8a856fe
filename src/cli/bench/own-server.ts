// A server for the time of the bench: on a file in a temporary folder, or in a database of its own on a PostgreSQL. All
// of it is gone afterwards.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { newKey } from "../../sdk/system.ts";
import type { Config } from "../../server/settings/settings.ts";
import { startChild } from "./child.ts";
import type { Listening, ServerWords } from "./words.ts";

export interface OwnServer {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

export async function ownServer(config: Config, signal: AbortSignal): Promise<OwnServer> {
  const data = await mkdtemp(join(tmpdir(), "leadhand-bench-"));
  const database = config.databaseUrl === null ? null : await ownDatabase(config.databaseUrl);
  const own: Config = {
    ...config,
    ...{ data, host: "127.0.0.1", port: 0, tlsCert: null, tlsKey: null, internal: null },
    ...{ databaseUrl: database?.url ?? null, databaseListenUrl: null },
  };
  const child = startChild("server", { config: own } satisfies ServerWords, signal);
  const stop = async (): Promise<void> => {
    await child.stop();
    await database?.drop();
    await rm(data, { recursive: true, force: true });
  };
  try {
    const { url } = await child.next<Listening>("listening");
    return { url, token: (await readFile(join(data, "admin-token"), "utf8")).trim(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ownDatabase(url: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `leadhand_bench_${newKey().replaceAll("-", "")}`;
  await command(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: () => command(url, `drop database if exists ${name} with (force)`) };
}

async function command(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
