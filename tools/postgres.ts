// Private PostgreSQL instances for tests, chaos and benchmarks: a folder of their own, a port of their own, gone afterwards.

import { spawn } from "node:child_process";
import { appendFile, chown, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";
import { findBinaries, howToGetPostgres, installWithApt } from "./postgres-binaries.ts";
import { type Account, accountForPostgres, canRun, run } from "./run-as.ts";

/** Where an instance lives. `user`, `uid` and `gid` are the account it runs under; absent when it is our own. */
export type PostgresHome = {
  readonly bin: string;
  readonly folder: string;
  readonly data: string;
  readonly log: string;
} & Partial<Account>;

/** Everything needed to command an instance from another process. Plain JSON. */
export type PostgresControl = PostgresHome & { readonly port: number };

type Guard = { readonly release: () => void };

/** `smart` waits for clients, `fast` disconnects them, `immediate` is a crash: recovery runs at the next start. */
export type StopMode = "smart" | "fast" | "immediate";

export type PostgresSwitch = {
  down(mode?: StopMode): Promise<void>;
  up(): Promise<void>;
  restart(mode?: StopMode): Promise<void>;
};

export type Postgres = PostgresSwitch & {
  readonly url: string;
  readonly control: PostgresControl;
  /** Stops the server and removes its folder. May be called twice. */
  stop(): Promise<void>;
};

export type PostgresOptions = {
  /** Lines of postgresql.conf that override ours. */
  readonly settings?: Readonly<Record<string, string | number>>;
};

/** No PostgreSQL was found and none could be installed; the message says what to do. */
export class NoPostgres extends Error {
  override readonly name = "NoPostgres";
}

const defaultSettings = {
  fsync: "on",
  synchronous_commit: "on",
  shared_buffers: "256MB",
  max_connections: 200,
  max_wal_size: "4GB",
  listen_addresses: "127.0.0.1",
};

const triesForAPort = 3;

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const found = findBinaries() ?? installWithApt();
  if (found === undefined) throw new NoPostgres(howToGetPostgres);

  const folder = await mkdtemp(join(tmpdir(), "leadhand-postgres-"));
  const account = accountForPostgres();
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const bin = await reachableBin(found, folder, account);
  const home = { bin, folder, data: join(folder, "data"), log: join(folder, "log"), ...account };
  const guard = startGuard(home);
  try {
    await run(join(bin, "initdb"), [...initdbArgs, "-D", home.data], { account, cwd: folder });
    return handle(await firstStart(home, options), guard);
  } catch (error) {
    await removePostgres(home).finally(guard.release);
    throw error;
  }
}

const initdbArgs = ["-U", "leadhand", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];

/** Commands an instance that another process started. */
export function switchOf(home: PostgresHome): PostgresSwitch {
  const pgCtl = (...args: string[]) =>
    run(join(home.bin, "pg_ctl"), [...args, "-D", home.data, "-w", "-t", "60"], {
      account: accountOf(home),
      cwd: home.folder,
    });
  return {
    down: (mode = "fast") => pgCtl("stop", "-m", mode),
    up: () => pgCtl("start", "-l", home.log),
    restart: (mode = "fast") => pgCtl("restart", "-m", mode, "-l", home.log),
  };
}

/** Stops the server if it runs and removes its folder. */
export async function removePostgres(home: PostgresHome): Promise<void> {
  // A server that is down already, perhaps on purpose, is what we want.
  await switchOf(home)
    .down("immediate")
    .catch(() => undefined);
  await rm(home.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function handle(control: PostgresControl, guard: Guard): Postgres {
  let stopped: Promise<void> | undefined;
  return {
    ...switchOf(control),
    url: `postgres://leadhand@127.0.0.1:${control.port}/postgres`,
    control,
    stop() {
      stopped ??= removePostgres(control).finally(guard.release);
      return stopped;
    },
  };
}

/** The port was free when we asked; should another process have taken it since, we ask again. */
async function firstStart(home: PostgresHome, options: PostgresOptions): Promise<PostgresControl> {
  for (let attempt = 1; ; attempt++) {
    const control = { ...home, port: await freePort() };
    await writeSettings(control, options);
    try {
      await switchOf(control).up();
      return control;
    } catch (cause) {
      const log = await readFile(control.log, "utf8").catch(() => "");
      const taken = /could not (bind|create any TCP)/.test(log);
      if (!taken || attempt === triesForAPort) {
        throw new Error(`PostgreSQL did not start:\n${log.split("\n").slice(-20).join("\n")}`, { cause });
      }
      await rm(control.log, { force: true });
    }
  }
}

async function writeSettings(control: PostgresControl, options: PostgresOptions): Promise<void> {
  // A socket's path has to fit into about 100 bytes; where it does not, TCP is enough.
  const sockets = process.platform !== "win32" && control.folder.length < 80 ? control.folder : "";
  const settings = { ...defaultSettings, ...options.settings, port: control.port, unix_socket_directories: sockets };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${`${value}`.replaceAll("'", "''")}'`);
  // The last line for a setting wins, so a second try may simply append.
  await appendFile(join(control.data, "postgresql.conf"), `\n${lines.join("\n")}\n`);
}

/** Programs in a folder that the server's account may not enter are copied to one it may. */
async function reachableBin(bin: string, folder: string, account: Account | undefined): Promise<string> {
  if (account === undefined || (await canRun(join(bin, "postgres"), ["--version"], { account, cwd: folder })))
    return bin;
  const copy = join(folder, "programs");
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/**
 * A process that waits for the end of ours, however it comes, and then cleans up. Without it a run that is killed would
 * leave a server behind.
 */
function startGuard(home: PostgresHome): Guard {
  const file = fileURLToPath(new URL("./postgres-guard.ts", import.meta.url));
  const guard = spawn(process.execPath, [file, JSON.stringify(home)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  // Our end of the pipe must not keep us alive either; types do not know that it is a socket.
  (guard.stdin as unknown as { unref(): void }).unref();
  return { release: () => guard.stdin.end() };
}

function accountOf(home: PostgresHome): Account | undefined {
  const { user, uid, gid } = home;
  return user === undefined || uid === undefined || gid === undefined ? undefined : { user, uid, gid };
}
