// The process of worker-process.ts, seen from outside.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Held, Late, Orders, Word } from "./worker-process.ts";

export interface StoppedWorkers {
  /** Every worker of the process takes a task and starts it. */
  hold(): Promise<readonly Held[]>;
  /** SIGSTOP: as a laptop that is closed, or a machine that is moved. */
  freeze(): void;
  /** SIGCONT; every worker reports its result. */
  thaw(): Promise<readonly Late[]>;
  end(): Promise<void>;
}

const program = fileURLToPath(new URL("./worker-process.ts", import.meta.url));

export function stoppedWorkers(orders: Orders): StoppedWorkers {
  const child = fork(program, [JSON.stringify(orders)], { execArgv: [] });
  const exited = once(child, "exit");

  async function word(): Promise<Word> {
    const ended = exited.then(() => Promise.reject(new Error("The workers' process ended by itself")));
    const [said] = await Promise.race([once(child, "message"), ended]);
    return said as Word;
  }

  return {
    async hold() {
      child.send("hold");
      return ((await word()) as { held: readonly Held[] }).held;
    },
    freeze: () => void child.kill("SIGSTOP"),
    async thaw() {
      child.kill("SIGCONT");
      child.send("finish");
      return ((await word()) as { late: readonly Late[] }).late;
    },
    async end() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
