import { fork } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChildAnswer, ChildJob, Measured } from "./measure.ts";

const file = fileURLToPath(new URL("./child.ts", import.meta.url));

/**
 * The types are stripped once for all children: the program that does it takes 40 MB, which a server that runs the
 * built package never has.
 */
const codeCache = join(tmpdir(), "leadhand-bench-code");

/** Rejects when the child fails, ends without an answer, or takes longer than `msMax`. */
export function runChild(job: ChildJob, msMax: number): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(file, [JSON.stringify(job)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, NODE_COMPILE_CACHE: codeCache },
    });
    let answer: ChildAnswer | undefined;
    const limit = setTimeout(() => {
      answer = { error: `took longer than ${Math.round(msMax / 1_000)} s` };
      child.kill("SIGKILL");
    }, msMax);
    child.on("message", (message) => {
      answer = message as ChildAnswer;
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(limit);
      if (answer !== undefined && "measured" in answer) resolve(answer.measured);
      else reject(new Error(answer?.error ?? `ended with ${code ?? signal} and without an answer`));
    });
  });
}
