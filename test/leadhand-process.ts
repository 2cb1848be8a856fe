// The command line as a user starts it: a process of its own, its output, its end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../src/testing/until.ts";

export type Environment = Readonly<Record<string, string>>;

export interface LeadhandProcess {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  out(): string;
  err(): string;
  /** Answers the exit code, or the signal that ended it, when its output is complete too. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface Ended {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

export const leadhandInClone = fileURLToPath(new URL("../bin/leadhand.js", import.meta.url));

/** Where a whole run keeps what was compiled, so that only the first start of a program compiles it. */
export const compiled = process.env["NODE_COMPILE_CACHE"];

const started = new Set<ChildProcess>();
const folders: string[] = [];
after(async () => {
  for (const child of started) child.kill("SIGKILL");
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
});

/** Nothing else of the tester's own settings reaches it. */
export function leadhand(
  args: readonly string[],
  environment: Environment = {},
  file = leadhandInClone,
): LeadhandProcess {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], NODE_COMPILE_CACHE: compiled, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = once(child, "close").then(([code, signal]) => {
    started.delete(child);
    return (code ?? signal) as number | NodeJS.Signals;
  });
  return { child, out: () => out, err: () => err, ended };
}

export async function run(args: readonly string[], environment: Environment = {}, file?: string): Promise<Ended> {
  const process = leadhand(args, environment, file);
  const code = await process.ended;
  return { code, out: process.out(), err: process.err() };
}

export interface Serving extends LeadhandProcess {
  readonly url: string;
  /** Asks it to stop and answers how it ended; it has fifteen seconds. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Far more than it takes, but on a machine that is very busy. */
const readyWithinMs = 60_000;

/** `leadhand serve` on any free port, once it has said that it is ready. */
export async function serve(args: readonly string[], environment: Environment = {}, file?: string): Promise<Serving> {
  // On PostgreSQL too a server may want to leave a file there.
  const elsewhere = { LEADHAND_DATA: await temporaryFolder(), ...environment };
  const process = leadhand(["serve", "--port", "0", ...args], elsewhere, file);
  let over = false;
  void process.ended.then(() => {
    over = true;
  });
  await until("the server says that it is ready", () => over || process.out().endsWith("\n"), readyWithinMs).catch(
    (error) => {
      throw new Error(`No server yet:\n${process.out()}${process.err()}`, { cause: error });
    },
  );
  const url = /^leadhand ready (http\S+)\n$/.exec(process.out())?.[1];
  if (url === undefined) throw new Error(`No server:\n${process.out()}${process.err()}`);
  return {
    ...process,
    url,
    async stop(signal = "SIGTERM") {
      process.child.kill(signal);
      await until("the server has ended", () => over, 15_000);
      return process.ended;
    },
  };
}

/** A folder that goes with the test file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "leadhand-test-"));
  folders.push(folder);
  return folder;
}
