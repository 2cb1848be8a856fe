// Commands as a reader of the documents types them: in a shell, in a folder with a server's data and the examples.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach } from "node:test";
import { fileURLToPath } from "node:url";
import { compiled, type Serving, serve, temporaryFolder } from "../leadhand-process.ts";
import type { Packed } from "./packed.ts";

export interface Shell {
  readonly child: ChildProcess;
  /** Everything it has said so far. */
  out(): string;
  readonly ended: Promise<number | NodeJS.Signals>;
  /** To the shell and all it has started, as a terminal does. */
  kill(signal: NodeJS.Signals): void;
}

export interface Place {
  readonly server: Serving;
  /** Where it is typed. */
  readonly folder: string;
  readonly data: string;
  type(commands: string, environment?: Readonly<Record<string, string>>): Shell;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  ask(method: string, path: string, body?: unknown): Promise<any>;
}

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const started = new Set<Shell>();
// A test that fails leaves to the next nothing that would take its tasks.
afterEach(async () => {
  const left = [...started];
  for (const { child, kill } of left) if (child.exitCode === null && child.signalCode === null) kill("SIGKILL");
  await Promise.all(left.map((shell) => shell.ended));
});

/** A reason to skip a test, which the run then tells; false where all programs are there. */
export function missing(...programs: readonly string[]): string | false {
  const absent = programs.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
  return absent.length > 0 && `no ${absent.join(", no ")}`;
}

/** Where a package is given, its server, and its project with copies of the examples, which then import it. */
export async function place(flags: readonly string[] = [], packed?: Packed): Promise<Place> {
  const folder = packed?.folder ?? (await temporaryFolder());
  if (packed === undefined) symlinkSync(examples, join(folder, "examples"));
  else cpSync(examples, join(folder, "examples"), { recursive: true });
  const data = join(folder, "leadhand-data");
  const server = await serve(["--data", data, ...flags], {}, packed?.leadhand);
  const token = readFileSync(join(data, "admin-token"), "utf8").trim();
  return {
    ...{ server, folder, data },
    type: (commands, environment = {}) => type(commands, folder, { LEADHAND_URL: server.url, ...environment }),
    async ask(method, path, body) {
      const answer = await fetch(`${server.url}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return answer.status === 204 ? null : answer.json();
    },
  };
}

/** The shell itself survives SIGTERM, as one at a terminal does, and ends as its last command did. */
function type(commands: string, cwd: string, environment: Readonly<Record<string, string>>): Shell {
  // `node` is the Node that runs the test.
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env = { PATH, HOME: process.env["HOME"], NODE_COMPILE_CACHE: compiled, ...environment };
  const child = spawn("sh", ["-eu", "-c", `trap : TERM\n${commands}`], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (out += text));
  const ended = once(child, "close").then(([code, signal]) => {
    started.delete(shell);
    return (code ?? signal) as number | NodeJS.Signals;
  });
  const shell: Shell = {
    ...{ child, ended, out: () => out },
    kill: (signal) => {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    },
  };
  started.add(shell);
  return shell;
}
