import { spawn } from "node:child_process";
import { ServerUnreachable } from "../../sdk/problem.ts";
import { environmentVariable } from "../../server/config.ts";
import { askingCommand } from "../asking-command.ts";

const usage = [
  "Usage: leadhand open [--print] [options]",
  "",
  "Opens the server's page in the browser: every route, with its fields and",
  "examples. Where there is no display the address is printed instead.",
  "",
  "  --print         only print the address",
];

const page = "/docs";
const answerWithinMs = 10_000;

export const command = askingCommand({
  name: "open",
  summary: "open the server's page in the browser",
  usage,
  flags: { print: { type: "boolean" } },
  async run({ server, flags, json, signal, say }) {
    const url = `${server.url}${page}`;
    await reach(url, signal);
    if (json) console.log(JSON.stringify({ url }));
    else console.log(url);
    if (json || flags["print"] === true || !hasDisplay()) return 0;
    if (!(await opened(url))) say("no browser could be opened; the address is above");
    return 0;
  },
});

/** A browser would only say that it cannot be reached, and not why. */
async function reach(url: string, interrupted: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(answerWithinMs)]);
  try {
    const answer = await fetch(url, { method: "HEAD", signal });
    if (!answer.ok) throw new ServerUnreachable(`${url} answers ${answer.status}; is it a Leadhand server?`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypeError) throw new ServerUnreachable(`${url} was not answered`, { cause: error });
    throw error;
  }
}

function hasDisplay(): boolean {
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => environmentVariable(name) !== undefined);
}

/** Whether the system's opener began. */
function opened(url: string): Promise<boolean> {
  const [program, ...args] = opener(url);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.on("spawn", () => resolve(true)).on("error", () => resolve(false));
  });
}

function opener(url: string): readonly [string, ...string[]] {
  if (process.platform === "darwin") return ["open", url];
  // `start` belongs to the shell, and takes a first word in quotes for the title of a window.
  if (process.platform === "win32") return ["cmd", "/c", "start", '""', url];
  return ["xdg-open", url];
}
