// Runs a command on our terminal, passing on signals, and answers its exit code as a shell would.

import { spawn } from "node:child_process";
import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function runCommand(
  command: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  const [file, ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: "inherit", env: { ...process.env, ...environment } });
    const passOn = (signal: NodeJS.Signals) => {
      // A terminal sends Ctrl-C to the command by itself.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, passOn);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      for (const each of signals) process.off(each, passOn);
      resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]);
    });
  });
}
