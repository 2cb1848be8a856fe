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
  const launcher = process.env[launchedBy];
  delete process.env[launchedBy];
  if (launcher === undefined) return;
  const end = () => process.kill(process.pid, "SIGKILL");
  // Where it is not the parent, some program in between has handed its number on, or it was killed while this one started.
  if (launcher !== `${process.ppid}` && isGone(Number(launcher))) end();
  if (launcher !== `${process.ppid}` || !process.connected) return;
  process.once("disconnect", end);
  // Listening alone must not keep the program from ending.
  process.channel?.unref();
}

/** @param {number} pid */
function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
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
