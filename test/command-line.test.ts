import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isNewEnough } from "../bin/node-version.js";

const leadhand = path("../bin/leadhand.js");
const launcher = path("../tools/node.mjs");

test("--version prints the version of the package", () => {
  const { version } = JSON.parse(readFileSync(path("../package.json"), "utf8"));
  const answer = run(leadhand, "--version");
  assert.equal(answer.stdout.trim(), version);
  assert.equal(answer.status, 0);
});

test("--help lists the commands", () => {
  const answer = run(leadhand, "--help");
  assert.match(answer.stdout, /^ {2}version +\S/m);
  assert.equal(answer.status, 0);
});

test("serve --help says where the first token is, and shows a first request with it", () => {
  const answer = run(leadhand, "serve", "--help");
  assert.match(answer.stdout, /the file admin-token of the data folder/);
  assert.match(
    answer.stdout,
    /curl http\S+\/v1\/workers .*\n.*Authorization: Bearer \$\(cat leadhand-data\/admin-token\)/,
  );
  assert.equal(answer.status, 0);
});

test("an unknown command is refused with the nearest known one", () => {
  const answer = run(leadhand, "versoin");
  assert.match(answer.stderr, /unknown command "versoin"\. Did you mean "version"\?/);
  assert.equal(answer.status, 2);
});

test("a Node without type stripping is not new enough", () => {
  const versions = ["18.20.0", "20.20.2", "22.17.9", "22.18.0", "24.0.0", "26.1.0"];
  assert.deepEqual(versions.filter(isNewEnough), ["22.18.0", "24.0.0", "26.1.0"]);
});

test("the launcher passes on arguments and the exit code", () => {
  const answer = run(launcher, "-e", "console.log(process.argv[1]); process.exit(7)", "--", "one two");
  assert.equal(answer.stdout.trim(), "one two");
  assert.equal(answer.status, 7);
});

test("the launcher passes on signals and ends by them", async () => {
  const waiting = "console.log('up'); setInterval(() => undefined, 1000)";
  const child = spawn(process.execPath, [launcher, "-e", waiting], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  const [, signal] = await once(child, "exit");
  assert.equal(signal, "SIGTERM");
});

function run(file: string, ...args: string[]) {
  return spawnSync(process.execPath, [file, ...args], { encoding: "utf8" });
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
