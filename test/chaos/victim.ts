// A process with an engine, seen from outside: it can be heard, and it can be killed.

import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Entry } from "../../src/testing/ledger.ts";
import type { Orders, Word } from "./engine-process.ts";

export interface Victim {
  /** Resolves with the first answer one of its callers got, or with the first fault. */
  readonly acknowledged: Promise<void>;
  /** Answers that nobody should have got, and errors that nobody caught. */
  readonly faults: readonly string[];
  /** As a machine does that sleeps, swaps or is moved: nothing happens until it thaws. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** What its callers were told until now. */
  ledger(): Entry[];
}

const program = fileURLToPath(new URL("./engine-process.ts", import.meta.url));
const firstWithinMs = 20_000;

export function startVictim(orders: Orders): Victim {
  const child = fork(program, [JSON.stringify(orders)], {
    execArgv: [],
    env: { NODE_COMPILE_CACHE: orders.cacheFolder, ...process.env },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const faults: string[] = [];

  const acknowledged = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`No answer within ${firstWithinMs} ms`)), firstWithinMs);
    child.on("message", (word: Word) => {
      if (word.said === "fault") faults.push(word.text);
      clearTimeout(late);
      resolve();
    });
    child.on("exit", () => {
      clearTimeout(late);
      reject(new Error("The process ended by itself"));
    });
  });
  // Whoever kills it before its first answer does not wait for that answer.
  acknowledged.catch(() => undefined);
  return {
    acknowledged,
    faults,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    ledger: () => readLedger(orders.ledgerFile),
  };
}

/** A process that is killed while it writes may leave half a line. */
export function readLedger(file: string): Entry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}
