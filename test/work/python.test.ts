// The published vectors of /work, played by a client that others could have written: in Python, over a library that
// Debian has, with no line of ours.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { environmentVariable } from "../../src/server/config.ts";
import { restScene } from "../rest/scene.ts";

const python = environmentVariable("LEADHAND_TEST_PYTHON");
const withPython = { skip: python === undefined && "LEADHAND_TEST_PYTHON is not set" };
const folder = fileURLToPath(new URL("../../docs/protocol/vectors/work/", import.meta.url));
const script = fileURLToPath(new URL("vectors.py", import.meta.url));

/** The fault of each vector by its name; null where it has none. */
async function faults(): Promise<ReadonlyMap<string, string | null>> {
  const scene = await restScene();
  const [ada, eve] = [await scene.caller("ada"), await scene.caller("eve", { role: "viewer" })];
  const tokens = { admin: scene.admin.token, user: ada.token, viewer: eve.token, wrong: `lh_${"x".repeat(43)}` };
  const words = [script, folder, scene.url, JSON.stringify(tokens)];
  const { stdout } = await promisify(execFile)(python as string, words, { timeout: 40_000 });
  const lines = stdout.trim().split("\n");
  return new Map(lines.map((line) => JSON.parse(line)).map(({ name, fault }) => [name, fault]));
}

// How it went is told by the tests.
const played = python === undefined ? null : faults();
played?.catch(() => undefined);

for (const file of ["checksums.json", "frames.json"]) {
  for (const { name } of JSON.parse(readFileSync(folder + file, "utf8")) as readonly { readonly name: string }[]) {
    test(`a client in Python agrees: ${name}`, withPython, async () => {
      assert.equal((await played)?.get(name), null);
    });
  }
}
