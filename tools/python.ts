// A Python with the packages socketio and websockets, for the tests of our doors with other libraries than ours: the one
// that is set, one that is installed, or, as a last resort, Debian's from apt.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { asRoot } from "./postgres-binaries.ts";

const packages = ["python3-socketio", "python3-requests", "python3-websocket", "python3-websockets"];

export const howToGetPython = [
  "No Python with the packages socketio and websockets was found. Do one of these:",
  `  - on Debian and Ubuntu: \`apt-get install ${packages.join(" ")}\`;`,
  "  - elsewhere: `pip install 'python-socketio[client]' websockets`;",
  "  - set LEADHAND_TEST_PYTHON to a Python that has them.",
].join("\n");

/** What programs under test find in their environment; empty, with a word to the person, where there is none. */
export function pythonEnvironment(): Readonly<Record<string, string>> {
  if (process.env["LEADHAND_TEST_PYTHON"]) return {};
  const python = find() ?? (install() ? find() : undefined);
  if (python !== undefined) return { LEADHAND_TEST_PYTHON: python };
  console.error(howToGetPython);
  return {};
}

function find(): string | undefined {
  const modules = "import socketio, requests, websocket, websockets";
  return ["python3", "/usr/bin/python3", "python"].find(
    (python) => spawnSync(python, ["-c", modules], { stdio: "ignore" }).status === 0,
  );
}

function install(): boolean {
  if (!existsSync("/usr/bin/apt-get")) return false;
  console.error(`Installing ${packages.join(", ")} with apt-get …`);
  return asRoot("apt-get", ["update"]) && asRoot("apt-get", ["install", "-y", "--no-install-recommends", ...packages]);
}
