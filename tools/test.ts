// `npm test`: types, style, then every test, the last ones against servers that are being broken.
// `npm test -- src/core test/readme` runs only the test files whose path begins so.

import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromiumEnvironment } from "./chromium.ts";
import { needPgBouncer } from "./pgbouncer.ts";
import { NoPostgres } from "./postgres.ts";
import { pythonEnvironment } from "./python.ts";
import { NoRabbitmq } from "./rabbitmq.ts";
import type { Report } from "./reporter.ts";
import { runCommand } from "./run-command.ts";
import { type TestBroker, testBroker } from "./test-broker.ts";
import { type TestDatabase, testDatabase } from "./test-database.ts";
import { buildUi } from "./ui.ts";

type Group = {
  readonly title: string;
  readonly files: readonly string[];
  readonly concurrency: number;
  readonly testLimitMs: number;
  readonly fileLimitMs: number;
};
type Outcome = Report & {
  readonly ok: boolean;
  readonly interrupted?: boolean;
  /** Files that failed beside the others and passed alone. */
  readonly shaky?: readonly string[];
};

const nothing: Report = { passed: 0, failed: 0, skipped: [], files: [], failing: [] };
/** How many of the slowest files the summary names. */
const slowest = 20;

/** Whose assertions are about time. */
const timed =
  /^test\/(?:chaos\/(?:rest-silence|rest-stop|work-frames|work-window|(?:rest-)?postgres-away)|nodes\/leader|sdk\/processes)/;
/** And who needs all of the machine for that. */
const alone = /^test\/(?:chaos\/fleet|rest\/no-stall)/;
/** Who looks at pages in a browser. */
const browsing = /^test\/ui\//;
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
  const outcome = checked ? await runGroups(groups) : { ...nothing, ok: false, skipped: ["all tests"] };
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

/** Chaos comes after the rest, for it starts processes of its own; last come those who need the machine for themselves. */
function groupsOf(files: readonly string[]): Group[] {
  const limits = { testLimitMs: 60_000, fileLimitMs: 180_000 };
  const chaosLimits = { testLimitMs: 120_000, fileLimitMs: 300_000 };
  const of = (title: string) => files.filter((file) => groupOf(unixPath(file)) === title);
  // On two cores: three find something to do while others wait; whoever waits to be missed must not come too late.
  return [
    { title: "tests", files: of("tests"), concurrency: 3, ...limits },
    // A browser, a server and its workers are a dozen processes.
    { title: "browser", files: of("browser"), concurrency: 2, ...limits },
    { title: "chaos", files: of("chaos"), concurrency: 3, ...chaosLimits },
    { title: "patient chaos", files: of("patient chaos"), concurrency: 2, ...chaosLimits },
    { title: "timed tests", files: of("timed tests"), concurrency: 2, ...chaosLimits },
    { title: "fleets", files: of("fleets"), concurrency: 1, ...chaosLimits },
  ].filter((group) => group.files.length > 0);
}

function groupOf(file: string): string {
  if (alone.test(file)) return "fleets";
  if (timed.test(file)) return "timed tests";
  if (browsing.test(file)) return "browser";
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
  const pagesTyped = await runCommand([process.execPath, tsc, "-p", join("dashboard", "tsconfig.json")]);
  const colors = process.stdout.isTTY ? [] : ["--colors=off"];
  const linted = await runCommand([process.execPath, biome, "ci", ...colors, "."]);
  return typed === 0 && pagesTyped === 0 && linted === 0;
}

async function runGroups(groups: readonly Group[]): Promise<Outcome> {
  const [database, broker] = await Promise.all([databaseIfAny(), brokerIfAny(groups)]);
  const folder = await mkdtemp(join(tmpdir(), "leadhand-test-"));
  // Every file is a process that loads the same programs, and many start more: only the first compiles them.
  const compiled = { NODE_COMPILE_CACHE: join(folder, "compiled") };
  if (wants(groups, /^test\/nodes\/pool/)) needPgBouncer();
  const programs = { ...pythonFor(groups), ...browserFor(groups) };
  const environment = { ...compiled, ...database?.environment, ...broker?.environment, ...programs };
  let total: Outcome = { ...nothing, ok: true };
  try {
    for (const group of groups) {
      if (total.interrupted) break;
      console.log(`\n${group.title}: ${group.files.length} files`);
      const began = performance.now();
      const unprepared = await prepare(group);
      total = sum(total, unprepared ?? (await runGroup(group, environment, join(folder, group.title))));
      console.log(`${group.title}: ${Math.round((performance.now() - began) / 1_000)} s`);
    }
    if (!total.ok && isContinuousIntegration() && mayTryAgain(total)) {
      total = await tryAgain(total, environment, join(folder, "once more"));
    }
  } finally {
    await Promise.all([database?.stop(), broker?.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
  return total;
}

/** Makes what the group looks at; answers why it cannot run. */
async function prepare({ title }: Group): Promise<Outcome | undefined> {
  if (title !== "browser") return undefined;
  try {
    await buildUi();
    return undefined;
  } catch (error) {
    console.error(String(error));
    return { ...nothing, ok: false, skipped: [`${title}: there is no dashboard to look at`] };
  }
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
  const report = (await readReport(reportFile)) ?? { ...nothing, skipped: [`${group.title}: ended early`] };
  return { ...report, ok: code === 0, interrupted: code > 128 };
}

/**
 * A test that fails beside others and not alone is a fault of the test, or of a slow machine: the summary names it, to be
 * mended. Whoever breaks things or draws by chance gets no second try: what it found, it found.
 */
function mayTryAgain(outcome: Outcome): boolean {
  const failing = failingFiles(outcome);
  if (outcome.interrupted || failing.length === 0 || failing.length > 3) return false;
  if (outcome.failing.some(({ writtenIn }) => drawsByChance(writtenIn))) return false;
  return failing.every((file) => ["tests", "browser"].includes(groupOf(unixPath(file))) && !drawsByChance(file));
}

function failingFiles({ failing }: Outcome): string[] {
  return [...new Set(failing.map(({ file }) => file))];
}

function drawsByChance(file: string): boolean {
  return /fast-check|simulation|seed/i.test(readFileSync(file, "utf8"));
}

async function tryAgain(first: Outcome, environment: TestDatabase["environment"], report: string): Promise<Outcome> {
  const limits = { testLimitMs: 60_000, fileLimitMs: 180_000 };
  const files = failingFiles(first);
  const group = { title: "once more", files, concurrency: 1, ...limits };
  console.log(`\nonce more, alone: ${files.join(", ")}`);
  const second = await runGroup(group, environment, report);
  return { ...first, ok: second.ok, shaky: second.ok ? files : [] };
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

/** Started only where a test asks for it; where there is none, those tests skip themselves too. */
async function brokerIfAny(groups: readonly Group[]): Promise<TestBroker | undefined> {
  const files = groups.flatMap((group) => group.files);
  if (!files.some((file) => /LEADHAND_TEST_AMQP|fresh-broker/.test(readFileSync(file, "utf8")))) return undefined;
  try {
    return await testBroker();
  } catch (error) {
    if (!(error instanceof NoRabbitmq)) throw error;
    console.error(error.message);
    return undefined;
  }
}

/** Looked for only where a test may want it. */
function pythonFor(groups: readonly Group[]): Readonly<Record<string, string>> {
  return wants(groups, /^test\/(socketio|work|e2e)\/python/) ? pythonEnvironment() : {};
}

function browserFor(groups: readonly Group[]): Readonly<Record<string, string>> {
  return wants(groups, browsing) ? chromiumEnvironment() : {};
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
    files: [...a.files, ...b.files],
    failing: [...a.failing, ...b.failing],
  };
}

function printSummary(outcome: Outcome, notRun: readonly string[]): void {
  const byTime = outcome.files.toSorted((a, b) => b.ms - a.ms).slice(0, slowest);
  if (byTime.length > 1) console.log("\nSlowest:");
  for (const { file, ms } of byTime) console.log(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${file}`);
  // Once more at the end, where somebody who sees only the end of a long run will look.
  for (const { file, name, reason } of outcome.failing) console.log(`\nFailed: ${name}\n  in ${file}\n${reason}`);
  console.log(`\nIn all: ${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped.length} skipped`);
  if (outcome.shaky?.length) console.log(`Failed at first, passed alone: ${outcome.shaky.join(", ")}`);
  if (notRun.length === 0) console.log("Not run: nothing");
  else console.log(`Not run:\n${notRun.map((line) => `  - ${line}`).join("\n")}`);
}

function isContinuousIntegration(): boolean {
  return ["true", "1"].includes(process.env["CI"] ?? "");
}

function unixPath(file: string): string {
  return file.replaceAll("\\", "/");
}
