import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Problem } from "../core/problem.ts";
import { readConfig } from "./config.ts";
import { type Server, server } from "./server.ts";

const folder = mkdtempSync(join(tmpdir(), "leadhand-server-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;

function aServer(flags: Readonly<Record<string, string>> = {}): { serving: Server; lines: string[]; data: string } {
  made += 1;
  const lines: string[] = [];
  const data = join(folder, `data-${made}`);
  const { config } = readConfig({ environment: {}, flags: { port: "0", data, ...flags } });
  return { serving: server({ config, warnings: ["beware"], writeLog: (line) => lines.push(line) }), lines, data };
}

async function metricsOf(address: string, data: string): Promise<string> {
  const authorization = `Bearer ${readFileSync(join(data, "admin-token"), "utf8").trim()}`;
  return (await fetch(`${address}/metrics`, { headers: { authorization } })).text();
}

const job = "@global:modifiers:Rotate";

async function someWork({ operations }: Server): Promise<void> {
  await operations.jobs.register({ name: job, schema: {}, source: "explicit", replace: true });
  const { id } = await operations.workers.register({ profile: "rest", owner: null, jobs: new Map([[job, null]]) });
  const request = { job, room: "@global", payload: "{}" };
  await operations.submit([request, request, request]);
  await operations.claim({ worker: id, limit: 1, waitMs: 0, assign: true });
}

test("a server listens, carries tasks, and tells how many there are", async () => {
  const { serving, lines, data } = aServer();
  assert.equal(serving.address, null);
  const address = await serving.start();
  assert.equal(serving.address, address);
  await someWork(serving);
  assert.equal((await fetch(`${address}/metrics`)).status, 401);
  const metrics = await metricsOf(address, data);
  assert.match(metrics, /^leadhand_tasks_ready\{job="@global:modifiers:Rotate"\} 2$/m);
  assert.match(metrics, /^leadhand_tasks_held\{job="@global:modifiers:Rotate"\} 1$/m);
  assert.match(metrics, /^leadhand_workers\{state="ONLINE"\} 1$/m);
  await serving.stop();
  assert.match(lines.join(""), /"message":"beware"/);
});

test("after the stop all is quiet, and a second stop changes nothing", async () => {
  const { serving } = aServer();
  const address = await serving.start();
  await Promise.all([serving.stop(), serving.stop()]);
  await serving.stop();
  await assert.rejects(fetch(`${address}/health`));
  await assert.rejects(someWork(serving));
  await assert.rejects(serving.start(), (error) => error instanceof Problem && error.code === "stopping");
});

test("a server that was never started can be stopped", async () => {
  const { serving } = aServer();
  assert.throws(() => serving.operations);
  await serving.stop();
});

test("a stop during the start waits for it and undoes it", async () => {
  const { serving } = aServer();
  const starting = serving.start();
  await serving.stop();
  await assert.rejects(fetch(`${await starting}/health`));
});

test("a start that fails leaves nothing running: the same data serves the next at once", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const data = join(folder, "shared");
  const failing = aServer({ data, port: `${port}` });
  await assert.rejects(failing.serving.start(), /is taken by another process/);
  const next = aServer({ data });
  await next.serving.start();
  await next.serving.stop();
  await failing.serving.stop();
  taken.close();
});

test("tasks survive from one server to the next on the same data", async () => {
  const data = join(folder, "kept");
  const first = aServer({ data });
  await first.serving.start();
  await someWork(first.serving);
  await first.serving.stop();
  const second = aServer({ data });
  const address = await second.serving.start();
  const metrics = await metricsOf(address, data);
  assert.match(metrics, /^leadhand_tasks_ready\{job="@global:modifiers:Rotate"\} 2$/m);
  await second.serving.stop();
});

test("a delayed task becomes ready by itself", async () => {
  const { serving } = aServer();
  await serving.start();
  const { operations } = serving;
  await someWork(serving);
  const [later] = await operations.submit([{ job, room: "@global", payload: "{}", runAt: 0 }]);
  assert.equal(later?.row.runAt, null, "a time that has passed is no delay");
  const { id: worker } = await operations.workers.register({
    profile: "rest",
    owner: null,
    jobs: new Map([[job, null]]),
  });
  assert.equal((await operations.claim({ worker, limit: 100, waitMs: 0, assign: true })).length, 3);
  const delayed = { job, room: "@global", payload: "{}", runAt: later.card.createdAt + 300 };
  await operations.submit([delayed]);
  const waited = await operations.claim({ worker, limit: 1, waitMs: 5_000, assign: true });
  assert.equal(waited.length, 1);
  await serving.stop();
});

test("a stopping server says so to who still asks", async () => {
  const { serving, lines } = aServer();
  await serving.start();
  const { operations } = serving;
  const { id } = await operations.workers.register({ profile: "rest", owner: null, jobs: new Map() });
  const waiting = operations.claim({ worker: id, limit: 1, waitMs: 30_000, assign: true });
  await serving.stop();
  assert.deepEqual(await waiting, [], "a wait ends with the server");
  await assert.rejects(operations.beat(id), (error) => error instanceof Problem && error.code === "stopping");
  assert.match(lines.at(-1) ?? "", /Leadhand has stopped/);
});
