// Runs a Node program as if it had been started directly: same terminal, same signals, same exit code, same end.

import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";

/** Tells a program that its parent is this launcher, and no supervisor with a channel of its own. */
const launchedBy = "LAUNCHED_BY_LEADHAND";

/**
 * For the program: a launcher that was killed takes it along. Otherwise it would live on unseen, with its locks and ports.
 * Does nothing in a program that was started by anyone else.
 */
export function endWithLauncher() {
  const launched = process.env[launchedBy] === `${process.ppid}`;
  delete process.env[launchedBy];
  if (!launched || !process.connected) return;
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  // Listening alone must not keep the program from ending.
  process.channel?.unref();
}

/**
 * @param {string} node the Node executable
 * @param {readonly string[]} args
 */
export function runNode(node, args) {
  // Programs started further down find the same Node under the name `node`.
  const path = [dirname(node), process.env["PATH"]].filter(Boolean).join(delimiter);
  // The channel tells the program when we are gone, however we went: see endWithLauncher.
  const stdio = /** @type {const} */ (["inherit", "inherit", "inherit", "ipc"]);
  const env = { ...process.env, PATH: path, [launchedBy]: `${process.pid}` };
  const child = spawn(node, args, { stdio: [...stdio], env });

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
