// A private PgBouncer in transaction mode before a PostgreSQL, for the tests of what must not depend on a session: on a
// port of its own, gone afterwards.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { asRoot } from "./postgres-binaries.ts";
import { accountForPostgres } from "./run-as.ts";
import { untilListening } from "./until-listening.ts";

export interface PgBouncer {
  /** As the URL of the PostgreSQL behind it, but through the pooler. */
  urlOf(direct: string): string;
  /** Dies at once, and all its connections with it. */
  kill(): Promise<void>;
  /** Comes up again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Of the PostgreSQL; every database and user of it can be reached. */
  readonly url: string;
  /** Server processes in all, so that few are shared by many. */
  readonly poolSize?: number;
}

export const howToGetPgBouncer = "no PgBouncer was found; on Debian and Ubuntu: `apt-get install pgbouncer`";

export function havePgBouncer(): boolean {
  return spawnSync(program(), ["--version"]).status === 0;
}

/** Where there is none, an attempt to install it, and a word to the person if that fails. */
export function needPgBouncer(): void {
  if (havePgBouncer()) return;
  if (existsSync("/usr/bin/apt-get")) {
    console.error("Installing PgBouncer with apt-get …");
    asRoot("apt-get", ["update"]);
    asRoot("apt-get", ["install", "-y", "--no-install-recommends", "pgbouncer"]);
  }
  if (!havePgBouncer()) console.error(howToGetPgBouncer);
}

function program(): string {
  return existsSync("/usr/sbin/pgbouncer") ? "/usr/sbin/pgbouncer" : "pgbouncer";
}

export async function startPgBouncer({ url, poolSize = 10 }: PgBouncerOptions): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), "leadhand-pgbouncer-"));
  const account = accountForPostgres();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  await writeFile(file, settings({ url: new URL(url), port, poolSize }), { mode: 0o644 });
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    child = spawn(program(), ["-q", file], {
      ...{ cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
      ...(account !== undefined && { uid: account.uid, gid: account.gid }),
    });
    await untilListening("PgBouncer", port, child);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    child = null;
    if (ending === null || ending.exitCode !== null) return;
    const ended = once(ending, "exit");
    ending.kill(signal);
    await ended;
  }

  await start();
  return {
    urlOf(direct) {
      const through = new URL(direct);
      through.port = String(port);
      return through.href;
    },
    kill: () => end("SIGKILL"),
    start,
    async stop() {
      await end("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Settings {
  readonly url: URL;
  readonly port: number;
  readonly poolSize: number;
}

function settings({ url, port, poolSize }: Settings): string {
  const user = decodeURIComponent(url.username);
  const password = url.password === "" ? "" : ` password=${decodeURIComponent(url.password)}`;
  return [
    "[databases]",
    `* = host=${url.hostname} port=${url.port || 5432} user=${user}${password}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    `default_pool_size = ${poolSize}`,
    "max_client_conn = 1000",
    "server_login_retry = 0.2",
    "log_connections = 0",
    "log_disconnections = 0",
    "log_pooler_errors = 0",
    "",
  ].join("\n");
}
