// `npm test`: types, style, then every test, the last ones against servers that are being broken.
// `npm test -- src/core test/readme` runs only the test files whose path begins so.

import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { needPgBouncer } from "./pgbouncer.ts";
import { NoPostgres } from "./postgres.ts";
import { pythonEnvironment } from "./python.ts";
import type { Report } from "./reporter.ts";
import { runCommand } from "./run-command.ts";
import { type TestDatabase, testDatabase } from "./test-database.ts";

type Group = {
  readonly title: string;
  readonly files: readonly string[];
  readonly concurrency: number;
  readonly testLimitMs: number;
  readonly fileLimitMs: number;
};
type Outcome = Report & { readonly ok: boolean; readonly interrupted?: boolean };

/** Whose assertions are about time. */
const timed =
  /^test\/(?:chaos\/(?:fleet|rest-silence|rest-stop|work-frames|(?:rest-)?postgres-away)|rest\/no-stall|sdk\/processes)/;
const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
process.exitCode = await main(process.argv.slice(2));

async function main(only: readonly string[]): Promise<number> {
  const groups = groupsOf(testFiles(only));
  if (groups.length === 0) {
    console.error(`No test file begins with ${only.join(" or ")}`);
    return 1;
  }
  const checked = only.length > 0 || (await check());
  const outcome = checked ? await runGroups(groups) : { ok: false, passed: 0, failed: 0, skipped: ["all tests"] };
  const notRun = [...outcome.skipped, ...(only.length > 0 ? [`everything but ${only.join(", ")}`] : [])];
  printSummary(outcome, notRun);
  const complete = notRun.length === 0 || !isContinuousIntegration();
  if (!complete) console.error("Continuous integration runs everything: a test that did not run counts as failed.");
  return outcome.ok && complete ? 0 : 1;
}

function testFiles(only: readonly string[]): string[] {
  const all = globSync(["src/**/*.test.ts", "test/**/*.test.ts"]).sort();
  const wanted = only.map((path) => path.replace(/^\.\//, "").replaceAll("\\", "/"));
  return wanted.length === 0 ? all : all.filter((file) => wanted.some((path) => unixPath(file).startsWith(path)));
}

/** Chaos comes after the rest, for it starts processes of its own; what measures time has the machine for itself. */
function groupsOf(files: readonly string[]): Group[] {
  const limits = { testLimitMs: 60_000, fileLimitMs: 180_000 };
  const chaosLimits = { testLimitMs: 120_000, fileLimitMs: 300_000 };
  const of = (title: string) => files.filter((file) => groupOf(unixPath(file)) === title);
  return [
    { title: "tests", files: of("tests"), concurrency: 2, ...limits },
    { title: "chaos", files: of("chaos"), concurrency: 2, ...chaosLimits },
    { title: "patient chaos", files: of("patient chaos"), concurrency: 2, ...chaosLimits },
    { title: "timed tests", files: of("timed tests"), concurrency: 1, ...chaosLimits },
  ].filter((group) => group.files.length > 0);
}

function groupOf(file: string): string {
  if (timed.test(file)) return "timed tests";
  if (!file.startsWith("test/chaos/")) return "tests";
  // Programs that mostly wait to be missed. They may be late, but not as late as beside a server under full load.
  if (/\/(?:sdk-|work-|internal)/.test(file)) return "patient chaos";
  // Processes that are killed as often as they come up: the machine is idle for most of that.
  return "chaos";
}

async function check(): Promise<boolean> {
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  const biome = join("node_modules", "@biomejs", "biome", "bin", "biome");
  const typed = await runCommand([process.execPath, tsc, "-p", "tsconfig.json"]);
  const colors = process.stdout.isTTY ? [] : ["--colors=off"];
  const linted = await runCommand([process.execPath, biome, "ci", ...colors, "."]);
  return typed === 0 && linted === 0;
}

async function runGroups(groups: readonly Group[]): Promise<Outcome> {
  const database = await databaseIfAny();
  const folder = await mkdtemp(join(tmpdir(), "leadhand-test-"));
  // Every file is a process that loads the same programs, and many start more: only the first compiles them.
  const compiled = { NODE_COMPILE_CACHE: join(folder, "compiled") };
  if (wants(groups, /^test\/nodes\/pool/)) needPgBouncer();
  const environment = { ...compiled, ...database?.environment, ...pythonFor(groups) };
  let total: Outcome = { ok: true, passed: 0, failed: 0, skipped: [] };
  try {
    for (const group of groups) {
      if (total.interrupted) break;
      console.log(`\n${group.title}: ${group.files.length} files`);
      total = sum(total, await runGroup(group, environment, join(folder, group.title)));
    }
  } finally {
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return total;
}

async function runGroup(group: Group, environment: TestDatabase["environment"], reportFile: string): Promise<Outcome> {
  const limits = [`--test-concurrency=${group.concurrency}`, `--test-timeout=${group.testLimitMs}`];
  const reporters = [
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...["--test-reporter=./tools/reporter.ts", `--test-reporter-destination=${reportFile}`],
  ];
  const code = await runCommand(
    [process.execPath, "--import", "./tools/file-limit.ts", "--test", ...limits, ...reporters, ...group.files],
    { ...environment, LEADHAND_TEST_FILE_LIMIT_MS: `${group.fileLimitMs}` },
  );
  const report = (await readReport(reportFile)) ?? { passed: 0, failed: 0, skipped: [`${group.title}: ended early`] };
  return { ...report, ok: code === 0, interrupted: code > 128 };
}

async function readReport(file: string): Promise<Report | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text === "" ? undefined : (JSON.parse(text) as Report);
}

/** Where there is no PostgreSQL the tests that need one skip themselves, and the summary says so. */
async function databaseIfAny(): Promise<TestDatabase | undefined> {
  try {
    return await testDatabase();
  } catch (error) {
    if (!(error instanceof NoPostgres)) throw error;
    console.error(error.message);
    return undefined;
  }
}

/** Looked for only where a test may want it. */
function pythonFor(groups: readonly Group[]): Readonly<Record<string, string>> {
  return wants(groups, /^test\/(socketio|work|e2e)\/python/) ? pythonEnvironment() : {};
}

function wants(groups: readonly Group[], pattern: RegExp): boolean {
  return groups.flatMap((group) => group.files).some((file) => pattern.test(unixPath(file)));
}

function sum(a: Outcome, b: Outcome): Outcome {
  return {
    ok: a.ok && b.ok,
    interrupted: b.interrupted ?? false,
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: [...a.skipped, ...b.skipped],
  };
}

function printSummary(outcome: Outcome, notRun: readonly string[]): void {
  console.log(`\nIn all: ${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped.length} skipped`);
  if (notRun.length === 0) console.log("Not run: nothing");
  else console.log(`Not run:\n${notRun.map((line) => `  - ${line}`).join("\n")}`);
}

function isContinuousIntegration(): boolean {
  return ["true", "1"].includes(process.env["CI"] ?? "");
}

function unixPath(file: string): string {
  return file.replaceAll("\\", "/");
}
