// Workers in processes of their own; they go with the test file.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { compiled } from "../leadhand-process.ts";

/** What a worker is told on its command line. */
export interface WorkerWords {
  readonly url: string;
  readonly token: string;
  readonly name: string;
  readonly host: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly concurrency: number;
}

export interface HiredWorker {
  readonly id: string;
  readonly name: string;
  /** Whether it has begun to hold this task (`studio:selections:Hold`). */
  holds(task: string): boolean;
  /** It has no time to say anything. */
  kill(): Promise<void>;
  /** It is asked to stop, and does in good order. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
const readyWithinMs = 30_000;

const started = new Set<ChildProcess>();
after(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** Answers when the server knows it. */
export async function hireWorker(words: WorkerWords): Promise<HiredWorker> {
  const child = spawn(process.execPath, [program, JSON.stringify(words)], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compiled },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.add(child);
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const ended = once(child, "close").then(() => void started.delete(child));
  const ready = () => /^ready (\S+)$/m.exec(out)?.[1];
  await until(`worker ${words.name} is ready`, () => ready() !== undefined || child.exitCode !== null, readyWithinMs);
  const id = ready();
  if (id === undefined) throw new Error(`Worker ${words.name} ended with ${child.exitCode}`);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    ...{ id, name: words.name },
    holds: (task) => out.includes(`holding ${task}\n`),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
