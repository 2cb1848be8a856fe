import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { restScene } from "./scene.ts";

const scene = await restScene();
const guide = readFileSync(new URL("../../docs/guides/coordinators.md", import.meta.url), "utf8");

test("the guide's commands do what it says, run one after the other", async () => {
  const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text as string);
  const commands = blocks.join("\n").replaceAll(/^export .*$/gm, "");
  const { token } = await scene.caller("reader");
  const env = { ...process.env, LEADHAND_URL: scene.url, LEADHAND_TOKEN: token };
  const { stdout } = await promisify(execFile)("sh", ["-euc", commands], { env });
  const said = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  assert.deepEqual(said, ["completed", "completed", "child.batch.stored"]);
});
