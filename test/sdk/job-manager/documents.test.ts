// The documents' own examples as programs of their own. Decorators are not part of Node's TypeScript, so they are
// compiled first, as a user's would be.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../../../src/testing/until.ts";
import { socketStandIn } from "./socket-stand-in.ts";
import { managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const sockets = await socketStandIn();
const { admin } = scene;
const job = "@global:modifiers:Rotate";

const folder = mkdtempSync(join(tmpdir(), "leadhand-documents-"));
const examples = fileURLToPath(new URL("../../../examples/job-manager", import.meta.url));
const sdk = new URL("../../../src/sdk/index.ts", import.meta.url);
const host = new URL("documents/host.ts", import.meta.url);
const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
await compile();

async function compile(): Promise<void> {
  const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
  const files = ["auto-serve", "manual"].map((name) => join(examples, `${name}.ts`));
  const how = [
    "--ignoreConfig",
    "--noResolve",
    "--noCheck",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--rootDir",
    examples,
  ];
  await promisify(execFile)(process.execPath, [tsc, ...files, ...how, "--outDir", folder]);
  for (const name of ["auto-serve", "manual"]) {
    const text = readFileSync(join(folder, `${name}.js`), "utf8");
    const here = text.replace('"leadhand"', `"${sdk}"`).replace('"./host.ts"', `"${host}"`);
    writeFileSync(join(folder, `${name}.mjs`), here);
  }
}

interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals>;
  out(): string;
  err(): string;
}

function start(name: string, more: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, [join(folder, `${name}.mjs`)], {
    env: { HOST_URL: scene.url, HOST_TOKEN: admin.token, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = once(child, "close").then(([code, signal]) => {
    children.delete(child);
    return (code ?? signal) as number | NodeJS.Signals;
  });
  return { child, ended, out: () => out, err: () => err };
}

async function workers(): Promise<string[]> {
  const { body } = await admin.get(`/rooms/@global/jobs/${job}`);
  return body.workers ?? [];
}

async function submit(angle: number): Promise<string> {
  const { body, status } = await admin.post(`/rooms/lab/tasks/${job}`, { payload: { angle } });
  assert.equal(status, 202);
  const room_id = "lab";
  sockets.say(`jobs:${job}`, "task_available", { job_name: job, room_id, task_id: body.id });
  return body.id;
}

async function registered(): Promise<void> {
  await until("it is registered", async () => (await workers()).length > 0, 15_000);
}

for (const socket of ["without", "with"]) {
  const environment: Record<string, string> = socket === "with" ? { HOST_SOCKET_URL: sockets.url } : {};

  test(`the documents' auto-serve example works, ${socket} Socket.IO, and says goodbye on SIGTERM`, async () => {
    const program = start("auto-serve", environment);
    await registered();
    await scene.taskWith("completed", await submit(90));
    await scene.taskWith("completed", await submit(45));
    program.child.kill("SIGTERM");
    assert.equal(await program.ended, 0, program.err());
    assert.equal(program.out(), "rotated by 90\nrotated by 45\n");
    assert.equal(program.err(), "");
    assert.deepEqual(await workers(), []);
  });

  test(`the documents' manual example works, ${socket} Socket.IO`, async () => {
    const program = start("manual", environment);
    await registered();
    await scene.taskWith("completed", await submit(30));
    await scene.taskWith("completed", await submit(60));
    assert.equal(program.out(), "rotated by 30\nrotated by 60\n");
    program.child.kill("SIGKILL");
    await program.ended;
    for (const worker of await workers()) await admin.delete(`/workers/${worker}`);
  });
}

test("after a second SIGTERM a handler that hangs is waited for no longer, and its task fails with its worker", async () => {
  const program = start("auto-serve", { HOST_HANGS: "yes" });
  await registered();
  const [workerId] = await workers();
  const id = await submit(1);
  await scene.taskWith("running", id);
  program.child.kill("SIGTERM");
  program.child.kill("SIGINT");
  const failed = await scene.taskWith("failed", id);
  assert.equal(failed.error, "Worker disconnected");
  assert.equal((await admin.get(`/workers/${workerId}`)).body.state, "DELETED");
  program.child.kill("SIGKILL");
});

test("a program whose token is no good ends at once, and says why", async () => {
  const program = start("auto-serve", { HOST_TOKEN: "lh_wrong" });
  assert.equal(await program.ended, 1);
  assert.match(program.err(), /The manager stops.*401/s);
});
