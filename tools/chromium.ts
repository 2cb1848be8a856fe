// A Chromium for the tests of the dashboard: the one that is set, one that is installed, or, as a last resort, Debian's from
// apt. No browser comes from npm: playwright-core brings none, and looks for none.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { asRoot } from "./postgres-binaries.ts";

/** The fonts are for what a bare system has no letters for: hostile payloads are full of it. */
const packages = ["chromium", "fonts-inter", "fonts-dejavu-core", "fonts-noto-color-emoji"];
const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const macPrograms = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export const howToGetChromium = [
  "No Chromium was found. Do one of these:",
  `  - on Debian: \`apt-get install ${packages.join(" ")}\`;`,
  "  - elsewhere: install Chromium or Chrome;",
  "  - set LEADHAND_TEST_CHROMIUM to the program.",
].join("\n");

/** What programs under test find in their environment; empty, with a word to the person, where there is none. */
export function chromiumEnvironment(): Readonly<Record<string, string>> {
  if (process.env["LEADHAND_TEST_CHROMIUM"]) return {};
  const program = find() ?? (install() ? find() : undefined);
  if (program !== undefined) return { LEADHAND_TEST_CHROMIUM: program };
  console.error(howToGetChromium);
  return {};
}

function find(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const files = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...macPrograms];
  return files.find((file) => existsSync(file) && runs(file));
}

/** Some systems have a file of that name which only says how to install the program. */
function runs(file: string): boolean {
  return spawnSync(file, ["--version"], { stdio: "ignore", timeout: 30_000 }).status === 0;
}

function install(): boolean {
  if (!existsSync("/usr/bin/apt-get")) return false;
  console.error(`Installing ${packages.join(", ")} with apt-get …`);
  return asRoot("apt-get", ["update"]) && asRoot("apt-get", ["install", "-y", "--no-install-recommends", ...packages]);
}
