import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../tools/reporter.ts";

const reporter = fileURLToPath(new URL("../tools/reporter.ts", import.meta.url));

test("a failure is told with the file that can be run again, where it is written, and the suites it is in", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-reporter-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write(
    "contract.mjs",
    `import { describe, test } from "node:test";
    export const contract = (name, works, ms) => describe(name, () => {
      describe("life", () => test("it starts", () => {}));
      describe("death", () => test("it ends", () => new Promise((done, fail) => {
        setTimeout(() => (works ? done() : fail(new Error(name + " goes on"))), ms);
      })));
    });`,
  );
  const calling = (...args: string[]) => `import { contract } from "./contract.mjs"; contract(${args.join(", ")});`;
  write("late.test.mjs", calling('"late store"', "false", "300"));
  write("sound.test.mjs", calling('"sound store"', "true", "0"));
  write("prompt.test.mjs", calling('"prompt store"', "false", "0"));
  const { passed, failed, failing } = reportOn(folder, ["late.test.mjs", "sound.test.mjs", "prompt.test.mjs"]);
  assert.deepEqual([passed, failed], [4, 2]);
  assert.deepEqual(
    failing.map(({ reason, ...rest }) => ({ ...rest, reason: reason.split("\n")[0] })),
    ["late", "prompt"].map((name) => ({
      file: `${name}.test.mjs`,
      writtenIn: "contract.mjs",
      name: `${name} store > death > it ends`,
      reason: `Error: ${name} store goes on`,
    })),
  );
});

function reportOn(folder: string, files: readonly string[]): Report {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--test", "--test-concurrency=3", `--test-reporter=${reporter}`, "--test-reporter-destination=report"];
  const { stderr } = spawnSync(process.execPath, [...args, ...files], { cwd: folder, env, encoding: "utf8" });
  assert.equal(stderr, "");
  return JSON.parse(readFileSync(join(folder, "report"), "utf8")) as Report;
}
