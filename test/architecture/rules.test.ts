import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { problemsOf } from "./rules.ts";

const packages = new Set(["pg", "@opentelemetry/api", "fast-check"]);

function problems(path: string, text: string): string[] {
  return problemsOf([{ path, text }], packages);
}

const allowed: readonly (readonly [string, string])[] = [
  ["src/core/checksum.ts", 'import { createHash } from "node:crypto";'],
  ["src/core/task.ts", 'import { retryDelayMs } from "./retry.ts";'],
  ["src/core/task.test.ts", 'import fc from "fast-check";\nimport { aTask } from "../testing/build.ts";'],
  ["src/core/task.test.ts", 'import assert from "node:assert/strict";\nimport { test } from "node:test";'],
  ["src/engine/submit.ts", 'import type { Store } from "../ports/store.ts";'],
  ["src/stores/postgres/store.ts", 'import pg from "pg";\nimport { readFile } from "node:fs/promises";'],
  ["src/transports/rest/tasks.ts", 'import type { Engine } from "../../engine/engine.ts";'],
  ["src/transports/rest/tasks.ts", 'import { type Engine, type Submit } from "../../engine/engine.ts";'],
  [
    "src/server/wiring.ts",
    'import { sqliteStore } from "../stores/sqlite/store.ts";\nimport "../transports/rest/door.ts";',
  ],
  ["src/cli/main.ts", 'const load = () => import("../server/serve.ts");'],
  ["src/sdk/index.ts", 'export { Client } from "./client.ts";'],
  ["src/sdk/job-manager.ts", "export class JobManager {}"],
  ["src/server/system.ts", "export const clock = { now: () => Date.now() };"],
  ["src/server/config.ts", "export const port = process.env.LEADHAND_PORT;"],
  ["src/core/time.ts", "export const at = (ms: number) => new Date(ms).toISOString();"],
  ["src/core/time.ts", "// Nobody calls Date.now() or Math.random() here.\n/* process.env */ export const a = 1;"],
  ["src/core/time.ts", 'export const says = "Date.now()" + `Math.random() ${1} process.env`;'],
  ["src/core/time.ts", "export const seen = /new Date()/.test(text) ? a / b : c / d;"],
  ["src/core/race.ts", "export const first = AbortSignal.any([a, b]);\nconst all = { any: 1, many: any(1) };"],
  ["src/stores/postgres/claim.ts", 'const sql = "where id = any($1)";'],
];

const refused: readonly (readonly [string, string, RegExp])[] = [
  ["src/core/task.ts", 'import type { Store } from "../ports/store.ts";', /core may import no other part/],
  ["src/core/task.ts", 'import { readFile } from "node:fs";', /core may import node:crypto/],
  ["src/core/task.ts", 'import pg from "pg";', /core imports no package/],
  ["src/core/task.ts", 'import { aTask } from "../testing/build.ts";', /core may import no other part/],
  ["src/core/task.test.ts", 'import { serve } from "../server/serve.ts";', /core may import/],
  ["src/ports/store.ts", 'import type { Frame } from "../protocol/frame.ts";', /ports may import core/],
  ["src/engine/submit.ts", 'import { EventEmitter } from "node:events";', /nothing of Node/],
  [
    "src/engine/submit.ts",
    'import {\n  sqliteStore,\n} from "../stores/sqlite/store.ts";',
    /engine may import core, ports/,
  ],
  ["src/stores/sqlite/store.ts", 'import { submit } from "../../engine/submit.ts";', /stores may import core, ports/],
  ["src/transports/rest/tasks.ts", 'import { submit } from "../../engine/submit.ts";', /only the types of engine/],
  ["src/transports/rest/tasks.ts", 'import { type A, b } from "../../engine/submit.ts";', /only the types of engine/],
  ["src/sdk/client.ts", 'import type { Store } from "../ports/store.ts";', /sdk may import core, protocol/],
  ["src/server/wiring.ts", 'import { Client } from "../sdk/client.ts";', /server may import/],
  ["src/cli/main.ts", 'const load = () => import("../stores/sqlite/store.ts");', /cli may import/],
  ["src/testing/world.ts", 'import { main } from "../cli/main.ts";', /testing may import/],
  ["src/stores/sqlite/store.ts", 'import Database from "better-sqlite3";', /no dependency of the published package/],
  ["src/server/wiring.ts", 'import { start } from "../../tools/postgres.ts";', /outside the parts/],
  ["src/core/task.ts", 'import { a } from "./retry.js";', /\.ts/],
  ["src/loose.ts", "export const a = 1;", /no known part/],
  ["src/extras/thing.ts", "export const a = 1;", /no known part/],
  ["src/engine/sweep.ts", "const a = `${Date.now()}`;", /sweep\.ts:1 uses Date\.now; take a Clock/],
  ["src/engine/sweep.ts", "\n\nconst now = Date.now;", /sweep\.ts:3 uses Date\.now/],
  ["src/engine/sweep.ts", "const a = new Date();", /new Date\(\)/],
  ["src/engine/sweep.ts", "const a = Math.random();", /Math\.random/],
  ["src/server/auth.ts", 'import { randomUUID } from "node:crypto";', /randomUUID/],
  ["src/server/auth.ts", "const a = crypto.getRandomValues(b);", /randomness/],
  ["src/server/auth.ts", "const a = performance.now();", /performance\.now/],
  ["src/server/auth.ts", "const a = process.hrtime.bigint();", /process\.hrtime/],
  ["src/server/system.ts", "const a = process.env.HOME;", /process\.env/],
  ["src/cli/main.ts", 'const a = process["env"];', /process\.env/],
  ["src/core/retry.ts", "\n".repeat(301), /301 lines/],
  ["test/integration/rest.test.ts", "\n".repeat(301), /301 lines/],
  ["src/core/task-utils.ts", "", /"utils" names nothing/],
  ["src/engine/helpers/claim.ts", "", /"helpers" names nothing/],
  ["src/engine/task-manager.ts", "", /"manager" names nothing/],
  ["src/core/task.ts", "export function f(a: any): void {}", /uses any/],
  ["src/core/task.ts", "const a = b as any;\nconst c: Map<string, any> = d;", /uses any/],
  ["src/core/task.ts", "export default {};", /default export/],
  ["src/core/index.ts", "export const a = 1;", /barrel/],
  ["src/core/all.ts", 'export * from "./task.ts";', /re-exports/],
  ["src/core/all.ts", 'export { a } from "./task.ts";', /re-exports/],
];

function oneLine(text: string): string {
  return text.trim().replaceAll("\n", " ").slice(0, 90);
}

describe("what the rules allow", () => {
  for (const [path, text] of allowed) {
    test(`${path}: ${oneLine(text)}`, () => assert.deepEqual(problems(path, text), []));
  }
});

describe("what the rules refuse", () => {
  for (const [path, text, why] of refused) {
    test(`${path}: ${oneLine(text)}`, () => assert.match(problems(path, text).join("\n"), why));
  }
});

test("a tree whose parts are not there yet keeps the rules", () => {
  assert.deepEqual(problemsOf([], packages), []);
});
