import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { run, serve, temporaryFolder } from "../leadhand-process.ts";
import { packed } from "./packed.ts";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

let app = "";
let installed = "";

/** Where others are at work too it takes its time. */
const packing = { timeout: 120_000 };
before(async () => {
  ({ folder: app, leadhand: installed } = await packed());
}, packing);

test("the installed package says its version and its settings", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  assert.equal((await run(["--version"], {}, installed)).out, `${version}\n`);
  const config = await run(["config"], {}, installed);
  assert.equal(config.code, 0);
  assert.match(config.out, /^ {2}LEADHAND_PORT +7070 +default$/m);
});

test("the installed package serves", async () => {
  const data = await temporaryFolder();
  const server = await serve(["--data", data], {}, installed);
  const authorization = `Bearer ${(await readFile(join(data, "admin-token"), "utf8")).trim()}`;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { headers: { authorization }, ...init });
  assert.equal((await ask("/health/ready")).status, 200);
  assert.match(await (await ask("/metrics")).text(), /^leadhand_workers\{state="ONLINE"\} 0$/m);

  const job = { category: "modifiers", name: "greet", schema: { required: ["name"] } };
  assert.equal((await ask("/v1/rooms/lab/jobs", { method: "PUT", body: JSON.stringify(job) })).status, 201);
  const path = "/v1/rooms/lab/tasks/lab:modifiers:greet";
  assert.equal((await ask(path, { method: "POST", body: '{"payload": {"name": "Ada"}}' })).status, 202);
  assert.equal((await ask(path, { method: "POST", body: '{"payload": {}}' })).status, 422);
  assert.match(await (await fetch(`${server.url}/docs`)).text(), /submitTask/);
  assert.match(await (await fetch(`${server.url}/v1/openapi.json`)).text(), /^\{"openapi":"3\.1\.0"/);
  assert.equal(await server.stop(), 0);
});

test("the installed package runs internal jobs, which need nothing but it", async () => {
  const file = join(app, "jobs.mjs");
  await copyFile(join(root, "examples", "internal-job", "jobs.mjs"), file);
  const data = await temporaryFolder();
  const server = await serve(["--data", data, "--internal", file], {}, installed);
  const authorization = `Bearer ${(await readFile(join(data, "admin-token"), "utf8")).trim()}`;
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${server.url}/v1${path}`, { headers: { authorization, prefer: "wait=10" }, ...init });
    return (await answer.json()) as { id: string; result: unknown };
  };
  const body = '{"payload": {"text": "one two"}}';
  const { id } = await ask("/rooms/lab/tasks/@internal:analysis:CountWords", { method: "POST", body });
  assert.deepEqual((await ask(`/tasks/${id}`)).result, { words: 2 });
  assert.equal(await server.stop(), 0);
});

test("the package has every program, every migration and the dashboard, and no tests", () => {
  const source = (pattern: string) => globSync(pattern, { cwd: join(root, "src") }).filter((file) => !isTest(file));
  const programs = source("**/*.ts").map((file) => file.replace(/\.ts$/, ".js"));
  const kept = new Set(globSync("**/*.{js,sql}", { cwd: join(app, "node_modules", "leadhand", "dist") }));
  assert.deepEqual(
    [...programs, ...source("**/*.sql")].filter((file) => !kept.has(file)),
    [],
  );
  assert.deepEqual([...kept].filter(isTest), []);
  const page = readFileSync(join(app, "node_modules", "leadhand", "dist", "ui", "index.html"), "utf8");
  const [, script = "none"] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
  assert.ok(kept.has(join("ui", script)), page);
});

function isTest(file: string): boolean {
  return /\.test\.[jt]s$/.test(file);
}

test("the installed package carries tasks, and verifies and copies what it kept", async () => {
  const data = await temporaryFolder();
  const demo = await run(["demo", "--for", "4s", "--data", data, "--json"], {}, installed);
  assert.equal(demo.code, 0, demo.err);
  const { submitted, completed, events } = JSON.parse(demo.out);
  assert.ok(completed > 0, demo.out);
  const copy = join(await temporaryFolder(), "copy.db");
  assert.equal((await run(["backup", copy, "--data", data], {}, installed)).code, 0);
  assert.equal((await run(["verify", copy], {}, installed)).out, `${submitted} tasks, ${events} events, 0 faults\n`);
});

test("a program can have a server inside it", async () => {
  const program = join(app, "program.js");
  await writeFile(program, embedding);
  const { stdout } = await execute(process.execPath, [program, await temporaryFolder()], { cwd: app });
  assert.equal(stdout, "200 completed\n");
});

const embedding = `
import { readConfig, server } from "leadhand/server";
const flags = { port: "0", data: process.argv[2], "log-level": "silent" };
const leadhand = server(readConfig({ environment: {}, flags }));
const address = await leadhand.start();
const { jobs, workers, submit, claim, settle, waits } = leadhand.operations;
const job = "@global:operations:greet";
await jobs.register({ name: job, schema: {}, source: "explicit", replace: true });
const { id: worker } = await workers.register({ profile: "rest", owner: null, jobs: new Map([[job, null]]) });
await submit([{ job, room: "@global", payload: "{}" }]);
const [{ card: { id }, row: { attempt } }] = await claim({ worker, limit: 1, waitMs: 1000, assign: true });
await settle(id, { worker, attempt }, { type: "complete", result: null });
const task = await waits.untilFinal(id, 1000);
console.log((await fetch(address + "/health")).status, task.row.state);
await leadhand.stop();
`;

test("tests can have a server of their own, and need no fast-check for it", async () => {
  const program = join(app, "own-tests.js");
  await writeFile(program, ownTests);
  const { stdout } = await execute(process.execPath, [program], { cwd: app });
  assert.equal(stdout, "completed 2\nfailed no\nno fast-check\n");
});

const ownTests = `
import { job } from "leadhand";
import { runJob, storeContract, testServer } from "leadhand/testing";
const retry = { maxAttempts: 2, baseMs: 3_600_000 };
const flaky = job("@global:modifiers:Flaky", { retry }, ({ attempt }) => {
  if (attempt === 1) throw new Error("no");
  return attempt;
});
const server = await testServer();
await server.worker(flaky);
const { id } = await server.client.submit(flaky);
await server.advance("1h");
const { status, result } = await server.task(id);
console.log(status, result);
await server.stop();
const { outcome, error } = await runJob(flaky);
console.log(outcome, error.message);
await storeContract("none", null).catch(({ message }) => console.log(/fast-check/.test(message) ? "no fast-check" : message));
`;
