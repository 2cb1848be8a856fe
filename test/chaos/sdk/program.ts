// A worker's program as a user would write it, with JobManager or with Worker, in a process of its own: started by
// worker-program.ts, which reads what it says on its standard output. A task's payload says what its handler does.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type ApiManager, Category, Extension, JobManager, Worker } from "../../../src/sdk/index.ts";
import type { ProgramOptions, Said } from "./worker-program.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as ProgramOptions;
const { kind, url, room, tokenFile, socket = true } = options;
const say = (word: Said): void => void process.stdout.write(`${JSON.stringify(word)}\n`);
const token = (): string => readFileSync(tokenFile, "utf8").trim();

interface Deed {
  readonly do?: string;
  readonly ms?: number;
}

interface InHand {
  readonly id: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

async function handle({ id: task, attempt, signal }: InHand, { do: deed = "answer", ms = 0 }: Deed): Promise<unknown> {
  // Whoever hears that it has begun may stop this program in the same moment: its time runs by then.
  const isOver = deed === "answer" ? pause(ms) : null;
  say({ began: task, attempt });
  signal.addEventListener("abort", () => say({ aborted: task, why: String(signal.reason) }));
  switch (deed) {
    case "throw a string":
      return Promise.reject("no reason");
    case "throw nothing":
      return Promise.reject();
    case "hang":
      return new Promise(() => undefined);
    // At the first attempt until it is asked to stop; at any other there is nothing to wait for.
    case "wait":
      if (attempt === 1) await new Promise((_, reject) => signal.addEventListener("abort", reject));
      return { of: task };
    case "block":
      return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    case "circle": {
      const circle: unknown[] = [];
      return circle.push(circle) && circle;
    }
    case "large":
      return "x".repeat(5 * 1_024 * 1_024);
    default:
      await isOver;
      return { of: task };
  }
}

/** Ends at a signal, or when its standard input ends: the end of a block is then the end of the program. */
async function manage(): Promise<void> {
  const api: ApiManager = {
    http: fetch,
    baseUrl: url,
    getHeaders: () => ({ authorization: `Bearer ${token()}` }),
    raiseForStatus() {},
  };
  class Work extends Extension {
    static readonly category = Category.MODIFIER;
    static readonly schema = { type: "object" };
    run() {}
  }
  await using manager = new JobManager(api, socket ? {} : null, {
    execute: ({ taskId: id, task, attempt, signal }) => handle({ id, attempt, signal }, task.payload),
    ...options.manager,
  });
  await manager.register(Work, { room, ...(options.policy && { policy: options.policy }) });
  say({ ready: manager.workerId ?? "" });
  await Promise.race([manager.wait(), toldToLeave()]);
}

async function work(): Promise<void> {
  await using worker = new Worker({ url, token, link: "rest", socket, ...options.worker });
  worker.job(`${room}:modifiers:Work`, { input: { type: "object" } }, (task) => handle(task, task.input as Deed));
  worker.on("ready", (said) => say({ ready: said.worker }));
  worker.on("task", ({ id, attempt, ending }) => say({ ended: id, attempt, ending }));
  await Promise.race([worker.run(), toldToLeave()]);
}

async function toldToLeave(): Promise<void> {
  process.stdin.resume();
  await once(process.stdin, "end");
}

process.on("SIGTERM", () => say({ heard: "SIGTERM" }));
try {
  await (kind === "manager" ? manage() : work());
  say({ left: "well" });
} catch (error) {
  say({ left: String(error) });
  process.exitCode = 1;
}
// What still hangs would keep it.
process.exit();
