// Runs a Node program as if it had been started directly: same terminal, same signals, same exit code.

import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";

/**
 * @param {string} node the Node executable
 * @param {readonly string[]} args
 */
export function runNode(node, args) {
  // Programs started further down find the same Node under the name `node`.
  const path = [dirname(node), process.env["PATH"]].filter(Boolean).join(delimiter);
  const child = spawn(node, args, { stdio: "inherit", env: { ...process.env, PATH: path } });

  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child by itself; passing it on would count as a second, impatient one.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.on("error", (error) => {
    console.error(`Cannot start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
