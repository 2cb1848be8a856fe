// A terminal in which somebody types what a page tells him, with the program of this clone in place of the published one.

import { type ChildProcess, spawn } from "node:child_process";
import { after } from "node:test";
import { type Environment, leadhandInClone } from "../leadhand-process.ts";

export interface Typed {
  /** What was printed so far, by either way. */
  said(): string;
  readonly ended: Promise<number | null>;
}

const started = new Set<ChildProcess>();
after(() => {
  for (const child of started) child.kill("SIGKILL");
});

/** Each program takes the place of the shell, so that none outlives it; nothing is installed. */
const programs = `
npm() { :; }
npx() { shift; exec "$NODE" "$LEADHAND" "$@"; }
node() { exec "$NODE" "$@"; }
`;

export function typed(command: string, folder: string, environment: Environment): Typed {
  const own = { PATH: process.env["PATH"], NODE: process.execPath, LEADHAND: leadhandInClone };
  const child = spawn("bash", ["-c", programs + command], {
    cwd: folder,
    env: { ...own, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      started.delete(child);
      resolve(code);
    });
  });
  return { said: () => said, ended };
}
