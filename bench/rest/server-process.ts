// `leadhand serve` as a process of its own, as users run it: built, which the npm scripts see to.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { tellProfiles } from "../cpu-profile.ts";
import type { Broker } from "../measure.ts";
import type { Place } from "../place.ts";
import { processCpuMs } from "../server-cpu.ts";

export interface ServerProcess {
  readonly port: number;
  /** Of its admin. */
  readonly token: string;
  /** Of all its threads, since its start. */
  cpuMs(): number;
  residentMb(): number;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("./built-leadhand.js", import.meta.url));

/** Where `profiles` is a folder, the server's profile is left there and told at its end. */
export async function startServer(
  place: Place,
  profiles: string | null,
  broker: Broker | null = null,
): Promise<ServerProcess> {
  if (place.kind !== "sqlite" && place.kind !== "postgres")
    throw new Error("A server keeps its tasks on SQLite or PostgreSQL");
  const { folder } = place;
  const database = place.kind === "postgres" ? ["--database-url", place.url] : [];
  const profiling = profiles === null ? [] : ["--cpu-prof", `--cpu-prof-dir=${profiles}`, "--cpu-prof-interval=200"];
  if (profiles !== null) rmSync(profiles, { recursive: true, force: true });
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(
    process.execPath,
    [...profiling, program, "serve", "--port", "0", "--data", folder, "--log-level", "warn", ...database],
    {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: {
        PATH,
        HOME,
        NODE_COMPILE_CACHE,
        LEADHAND_ALLOWED_CATEGORIES: "bench,operations",
        ...(broker !== null && { LEADHAND_AMQP_URL: broker.url }),
        LAUNCHED_BY_LEADHAND: `${process.pid}`,
      },
    },
  );
  const ended = once(child, "exit");
  const [line] = (await Promise.race([once(createInterface(child.stdout as Readable), "line"), ended])) as unknown[];
  const port = /^leadhand ready http:\/\/[^:]+:(\d+)$/.exec(String(line))?.[1];
  if (port === undefined) throw new Error(`The server did not start: ${line}`);
  const pid = child.pid as number;
  return {
    port: Number(port),
    token: readFileSync(join(folder, "admin-token"), "utf8").trim(),
    cpuMs: () => processCpuMs(pid) ?? 0,
    residentMb: () => residentMb(pid),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      if (profiles !== null) tellProfiles("the server", profiles);
    },
  };
}

/** From Linux's /proc; nothing elsewhere. */
function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1_024;
}
