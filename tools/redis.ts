// Private Redis instances for benchmarks of those that need one: a folder of their own, a port of their own, gone
// afterwards.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { freePort } from "./free-port.ts";
import { asRoot } from "./postgres-binaries.ts";
import { untilListening } from "./until-listening.ts";

export interface Redis {
  readonly port: number;
  readonly version: string;
  stop(): Promise<void>;
}

export interface RedisOptions {
  readonly folder: string;
  /** `everysec` may lose the last second in a crash of the machine, `always` loses nothing. */
  readonly appendfsync: "everysec" | "always";
}

/** The shell ends the server when our end of its input closes, however our process comes to its end. */
const guarded = 'redis-server "$@" & read -r line; kill $!; wait';

export async function startRedis({ folder, appendfsync }: RedisOptions): Promise<Redis> {
  const version = redisVersion() ?? installed();
  const port = await freePort();
  const settings = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--loglevel", "warning"];
  const durable = ["--appendonly", "yes", "--appendfsync", appendfsync];
  const child = spawn("sh", ["-c", guarded, "redis", ...settings, ...durable], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  await untilListening("Redis", port, child);
  return {
    port,
    version,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

function redisVersion(): string | undefined {
  return /v=(\S+)/.exec(spawnSync("redis-server", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1];
}

function installed(): string {
  if (existsSync("/usr/bin/apt-get")) {
    console.error("Installing Redis with apt-get …");
    asRoot("apt-get", ["update"]);
    asRoot("apt-get", ["install", "-y", "--no-install-recommends", "redis-server"]);
  }
  const version = redisVersion();
  if (version === undefined) throw new Error("This needs Redis, for example `apt-get install redis-server`");
  return version;
}
