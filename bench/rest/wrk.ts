// wrk, the load generator: found, or installed with apt where we may.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BenchServer, submitBody, submitPath } from "./bench-server.ts";

export interface Load {
  readonly requests: number;
  readonly us: number;
  /** Connections that broke, and answers other than 2xx and 3xx. */
  readonly failed: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

const script = fileURLToPath(new URL("./submit.lua", import.meta.url));

export function requireWrk(): void {
  if (isThere()) return;
  if (existsSync("/usr/bin/apt-get") && process.getuid?.() === 0) {
    console.error("Installing wrk with apt-get …");
    spawnSync("apt-get", ["update"], { stdio: "ignore" });
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", "wrk"], { stdio: "ignore" });
  }
  if (!isThere()) throw new Error("This needs wrk (https://github.com/wg/wrk), for example `apt-get install wrk`");
}

/** Without arguments it explains itself; where there is none, there is an error. */
function isThere(): boolean {
  return spawnSync("wrk", ["--version"]).error === undefined;
}

/** Submits for so long over so many connections, one request at a time on each. */
export function submitLoad(server: BenchServer, connections: number, seconds: number): Promise<Load> {
  const args = [
    "-t",
    "1",
    "-c",
    `${connections}`,
    "-d",
    `${seconds}s`,
    "-s",
    script,
    `http://127.0.0.1:${server.port}`,
  ];
  const env = { ...process.env, BENCH_PATH: submitPath, BENCH_BODY: submitBody, BENCH_TOKEN: server.token };
  return new Promise((resolve, reject) => {
    const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"], env });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.once("error", reject);
    child.once("close", () => {
      const line = /^\{.*\}$/m.exec(out)?.[0];
      if (line === undefined) reject(new Error(`wrk said nothing we understand:\n${out}`));
      else resolve(JSON.parse(line) as Load);
    });
  });
}
