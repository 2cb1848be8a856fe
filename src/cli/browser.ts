// The browser of whoever sits at the terminal.

import { spawn } from "node:child_process";
import { environmentVariable } from "../server/config.ts";

export function hasDisplay(): boolean {
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => environmentVariable(name) !== undefined);
}

/** Whether the system's opener began. */
export function openInBrowser(url: string): Promise<boolean> {
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
