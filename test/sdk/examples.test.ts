// Examples of the SDK, in its comments and in its guide, are code: they type-check, and the guide's run.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guides/first-job.md"), "utf8");

function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
}

/** The examples in comments, without their stars. */
function commentBlocks(text: string): string[] {
  return blocksOf(
    [...text.matchAll(/\/\*\*.*?\*\//gs)].map(([comment]) => comment.replaceAll(/^ *\* ?/gm, "")).join("\n"),
  );
}

test("every example in the SDK's comments and in its guide type-checks", async () => {
  const folder = await temporaryFolder();
  const sources = globSync("src/sdk/**/*.ts", { cwd: root }).sort();
  const examples = [
    ...sources.flatMap((file) => commentBlocks(readFileSync(join(root, file), "utf8")).map((code) => ({ file, code }))),
    ...blocksOf(guide).map((code) => ({ file: "first-job", code })),
  ];
  assert.ok(examples.length >= 10, `${examples.length} examples`);
  for (const [index, { file, code }] of examples.entries()) {
    writeFileSync(join(folder, `${index}-${file.replaceAll(/\W/g, "-")}.ts`), `${code}\nexport {};\n`);
  }
  const paths = { leadhand: [join(root, "src/sdk/index.ts")] };
  const compilerOptions = {
    paths,
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
    noUnusedLocals: false,
  };
  const tsconfig = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const checked = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
  assert.equal(checked.status, 0, String(checked.stdout));
});

test("what the guide says to write runs as it says", async () => {
  const scene = await restScene();
  const folder = await temporaryFolder();
  const [worker = "", submit = ""] = blocksOf(guide);
  assert.ok(worker.startsWith("// worker.ts") && submit.startsWith("// submit.ts"));
  const here = (code: string): string =>
    code
      .replaceAll('from "leadhand"', `from ${JSON.stringify(new URL("../../src/sdk/index.ts", import.meta.url).href)}`)
      .replaceAll('from "zod"', `from ${JSON.stringify(import.meta.resolve("zod"))}`);
  const start = (name: string, code: string) => {
    writeFileSync(join(folder, name), here(code));
    const env = { PATH: process.env["PATH"], LEADHAND_URL: scene.url, LEADHAND_TOKEN: scene.admin.token };
    const child = spawn(process.execPath, [join(folder, name)], { env, stdio: ["ignore", "pipe", "pipe"] });
    after(() => child.kill("SIGKILL"));
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    return { child, said };
  };
  const working = start("worker.mts", worker);
  await until("the worker is ready", () => working.said.err.includes("ready"), 10_000);
  const submitting = start("submit.mts", submit);
  await once(submitting.child, "close");
  assert.equal(submitting.said.out, "{ turned: 90 }\n", submitting.said.err);
  working.child.kill("SIGTERM");
  assert.deepEqual(await once(working.child, "close"), [0, null]);
});
