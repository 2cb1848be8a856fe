// `npm run quickstart`: a server in a temporary folder, a worker written with curl, a task submitted with curl, and the
// transcript of it all.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const leadhand = fileURLToPath(new URL("../../bin/leadhand.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "leadhand-quickstart-"));
const running = new Set<ChildProcess>();
const limitMs = 60_000;

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  process.once(signal, () => void cleanUp().then(() => process.exit(code)));
}
const tooLong = setTimeout(() => {
  console.error(`The quickstart was not over after ${limitMs / 1_000} s.`);
  void cleanUp().then(() => process.exit(1));
}, limitMs);
try {
  process.exitCode = await main();
} finally {
  clearTimeout(tooLong);
  await cleanUp();
}

async function main(): Promise<number> {
  const missing = ["sh", "curl"].filter((program) => spawnSync(program, ["-c", "true"]).error !== undefined);
  if (missing.length > 0) {
    console.error(`The quickstart is written with sh and curl; not found here: ${missing.join(", ")}.`);
    console.error("`npm run demo` shows a server at work without them.");
    return 1;
  }
  const data = join(folder, "data");
  const server = start("server", process.execPath, [
    leadhand,
    "serve",
    "--port",
    "0",
    "--data",
    data,
    "--log-level",
    "warn",
  ]);
  const ready = await server.line(/^leadhand ready (\S+)/);
  if (ready === null) return 1;
  const environment = {
    LEADHAND_URL: ready[1],
    LEADHAND_TOKEN: readFileSync(join(data, "admin-token"), "utf8").trim(),
  };
  console.log("(Each request also has -H 'Authorization: Bearer …', with the admin token of this server.)");
  const worker = start("worker", "sh", [join(here, "worker.sh"), "1"], environment);
  if ((await worker.line(/tasks\/claim/)) === null) return 1;
  const submit = start("submit", "sh", [join(here, "submit.sh"), "Ada"], environment);
  if ((await submit.ended) !== 0 || (await worker.ended) !== 0) return 1;
  server.child.kill("SIGTERM");
  if ((await server.ended) !== 0) return 1;
  console.log(
    "\nA task was submitted with curl and done by a worker written with curl. How, step by step, and how to write",
  );
  console.log("a worker in your language: docs/guides/any-language.md");
  return 0;
}

/** Starts one of the three, and prints what it says behind its name. */
function start(name: string, file: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(file, args, { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return (code ?? 1) as number;
  });
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (text) => console.log(`${name} | ${text}`));
  createInterface({ input: child.stderr }).on("line", (text) => console.error(`${name} | ${text}`));
  /** Answers the first line that looks so, or null when it ends before. */
  async function line(pattern: RegExp): Promise<RegExpExecArray | null> {
    return new Promise((resolve) => {
      lines.on("line", (text) => {
        const match = pattern.exec(text);
        if (match !== null) resolve(match);
      });
      void ended.then(() => resolve(null));
    });
  }
  return { child, ended, line };
}

async function cleanUp(): Promise<void> {
  const ends = [...running].map((child) => once(child, "close"));
  for (const child of running) child.kill("SIGTERM");
  await Promise.all(ends);
  rmSync(folder, { recursive: true, force: true });
}
