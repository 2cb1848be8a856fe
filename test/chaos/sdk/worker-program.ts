// Programs of workers (program.ts), started, watched and signalled.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import type { JobManagerOptions, JobPolicy, WorkerOptions } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { compiled, temporaryFolder } from "../../leadhand-process.ts";

export type Kind = "manager" | "worker";
export const kinds = ["manager", "worker"] as const satisfies readonly Kind[];
/** As a reader of the tables knows them. */
export const nameOf = { manager: "JobManager", worker: "Worker" } as const satisfies Record<Kind, string>;

export interface ProgramOptions {
  readonly kind: Kind;
  readonly url: string;
  /** Of its job, `<room>:modifiers:Work`. */
  readonly room: string;
  /** Read for every request. */
  readonly tokenFile: string;
  /** Whether it connects over Socket.IO too. */
  readonly socket?: boolean;
  /** Of a manager's job. */
  readonly policy?: JobPolicy;
  readonly manager?: JobManagerOptions;
  readonly worker?: WorkerOptions;
}

/** What a program says, a line each. */
export type Said =
  | { readonly ready: string }
  | { readonly began: string; readonly attempt: number }
  | { readonly ended: string; readonly attempt: number; readonly ending: string }
  | { readonly aborted: string; readonly why: string }
  | { readonly heard: string }
  | { readonly left: string };

export interface WorkerProgram {
  readonly child: ChildProcess;
  /** The id under which it registered first; resolves when it has. */
  readonly worker: Promise<string>;
  readonly ended: Promise<number | NodeJS.Signals>;
  said(): readonly Said[];
  err(): string;
  /** Resolves when the handler of this task runs. */
  began(task: string): Promise<void>;
  aborted(task: string): Promise<string>;
  renew(token: string): void;
  /** Ends the block in which it works. */
  leave(): void;
}

const file = fileURLToPath(new URL("./program.ts", import.meta.url));
const limitMs = 30_000;
let cache: Promise<string> | undefined;

const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill("SIGKILL");
});

export async function workerProgram(
  given: Omit<ProgramOptions, "tokenFile"> & { readonly token: string },
): Promise<WorkerProgram> {
  const { token, ...options } = given;
  const tokenFile = join(await temporaryFolder(), "token");
  writeFileSync(tokenFile, token);
  cache ??= temporaryFolder();
  const child = spawn(process.execPath, [file, JSON.stringify({ ...options, tokenFile })], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compiled ?? (await cache) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  const [said, err] = heard(child);
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return (code ?? signal) as number | NodeJS.Signals;
  });

  async function first<T>(what: string, find: (word: Said) => T | undefined): Promise<T> {
    const found = (): T | undefined => said.map(find).find((each) => each !== undefined);
    const over = (): boolean => found() === undefined && !running.has(child);
    await until(what, () => found() !== undefined || over(), limitMs);
    if (over()) throw new Error(`A program ended before ${what}: ${JSON.stringify(said)} ${err()}`);
    return found() as T;
  }

  const worker = first("it is registered", (word) => ("ready" in word ? word.ready : undefined));
  // Whether anybody wants to know or not.
  worker.catch(() => undefined);
  return {
    ...{ child, ended, err, worker, said: () => said },
    async began(task) {
      await first(`task ${task} begins`, (word) => ("began" in word && word.began === task) || undefined);
    },
    aborted: (task) =>
      first(`task ${task} is aborted`, (word) => ("aborted" in word && word.aborted === task ? word.why : undefined)),
    renew: (fresh) => writeFileSync(tokenFile, fresh),
    leave: () => void child.stdin?.end(),
  };
}

function heard({ stdout, stderr }: ChildProcess): readonly [readonly Said[], () => string] {
  const said: Said[] = [];
  let [out, err] = ["", ""];
  stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (out + text).split("\n");
    out = lines.pop() ?? "";
    said.push(...lines.map((line) => JSON.parse(line) as Said));
  });
  stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return [said, () => err];
}
