// The door with a library that others wrote, in another language: python-socketio, as Debian has it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { environmentVariable } from "../../src/server/config.ts";
import { restScene } from "../rest/scene.ts";

const python = environmentVariable("LEADHAND_TEST_PYTHON");
const withPython = { skip: python === undefined && "LEADHAND_TEST_PYTHON is not set" };
const script = fileURLToPath(new URL("python-worker.py", import.meta.url));

for (const transport of ["websocket", "polling"]) {
  test(
    `a worker written with python-socketio does a task, watches it, and answers a read, over ${transport}`,
    withPython,
    async () => {
      const { url, admin } = await restScene();
      const limit = { timeout: 20_000 };
      const { stdout } = await promisify(execFile)(python as string, [script, url, admin.token, transport], limit);
      const lines = stdout.trim().split("\n");
      const before = ["turned away", "refused 400", "joined True", "listening True", "providing True"];
      assert.deepEqual(lines.slice(0, 6), [...before, "read b'\\x00hiss 7'"]);
      const byVersion = lines.slice(6).toSorted((a, b) => versionOf(a) - versionOf(b));
      assert.deepEqual(
        byVersion.map((line) => line.split(" ")[2]),
        ["pending", "claimed", "running", "completed"],
      );
    },
  );
}

/** Its handlers speak each in a thread of its own; what they say has an order all the same. */
function versionOf(line: string): number {
  return Number(line.split(" ")[1]);
}
