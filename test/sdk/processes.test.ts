// Workers and servers as processes: what is blocked, killed, restarted and signalled.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../src/testing/until.ts";
import { serve, temporaryFolder } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";
import { history } from "../rest/workshop.ts";
import { clientOf, hire, type Where } from "./scene.ts";

const lostMs = 1_500;
const scene = await restScene({ "worker-timeout-seconds": String(lostMs / 1_000) });
const { admin } = scene;
const where = { url: scene.url, token: admin.token };
const client = clientOf(where);

interface WorkerProcess {
  readonly child: ChildProcess;
  said(word: string, times?: number): Promise<void>;
  out(): string;
  readonly ended: Promise<number | NodeJS.Signals>;
  id(): string;
}

async function workerProcess({ url, token }: Where): Promise<WorkerProcess> {
  const file = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
  const child = spawn(process.execPath, [file, url, token], { stdio: ["ignore", "pipe", "inherit"] });
  after(() => child.kill("SIGKILL"));
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const said = (word: string, times = 1) =>
    until(`the worker says ${word}`, () => out.split(word).length > times, 10_000);
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  await said("ready");
  return { child, said, out: () => out, ended, id: () => /ready (\S+)/.exec(out)?.[1] ?? "" };
}

test("a handler that blocks its process for longer than a worker may be silent keeps its task, and it shows", async () => {
  const worker = await workerProcess(where);
  const { id } = await client.submit("@global:modifiers:Block", { ms: 3 * lostMs });
  await worker.said("blocking");
  const blocked = async () => (await admin.get(`/workers/${worker.id()}`)).body.blocked_ms;
  await until("the worker is seen to be blocked", async () => (await blocked()) > lostMs, 10_000);
  const { status, result, losses } = await client.wait(id);
  assert.deepEqual([status, result, losses], ["completed", { attempt: 1 }, 0]);
  await until("the worker is seen to be well", async () => (await blocked()) === 0, 10_000);
  worker.child.kill("SIGTERM");
  assert.equal(await worker.ended, 0);
});

test("one signal lets handlers end, a second asks them to stop, and the task goes back", async () => {
  const worker = await workerProcess(where);
  const { id } = await client.submit("@global:modifiers:Hang");
  await worker.said("hanging");
  worker.child.kill("SIGTERM");
  // The same signal in the same moment is the same request, passed on by a launcher.
  await worker.said("heard", 2);
  assert.equal((await client.get(id)).status, "running");
  assert.doesNotMatch(worker.out(), /asked to stop/);
  worker.child.kill("SIGINT");
  await worker.said("done");
  assert.equal(await worker.ended, 0);
  const { status, losses } = await client.get(id);
  assert.deepEqual([status, losses], ["pending", 0]);
  assert.deepEqual(await history(admin, id), ["submitted", "assigned", "released"]);
  await client.cancel(id);
});

test("the task of a worker that was killed runs again, on another worker", async () => {
  const worker = await workerProcess(where);
  const { id } = await client.submit("@global:modifiers:Hang");
  await worker.said("hanging");
  worker.child.kill("SIGKILL");
  const heir = await hire(where, (other) => other.job("@global:modifiers:Hang", {}, ({ attempt }) => attempt)).start();
  const { result, losses } = await client.wait(id, { timeoutMs: 10_000 });
  assert.deepEqual([result, losses], [2, 1]);
  await heir.worker.stop();
});

test("a result that is ready while the server is dead is told when it is back, and counts once", async () => {
  const data = await temporaryFolder();
  const first = await serve(["--data", data]);
  const { port } = new URL(first.url);
  const there = { url: first.url, token: readFileSync(join(data, "admin-token"), "utf8").trim() };
  const itsClient = clientOf(there);
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const hired = await hire(there, (worker) => {
    worker.job("@global:modifiers:Outlive", {}, async ({ attempt }) => {
      if (attempt === 1) await finished;
      return { attempt };
    });
  }).start();
  const { id } = await itsClient.submit("@global:modifiers:Outlive");
  await until("it runs", async () => (await itsClient.get(id)).status === "running");
  assert.equal(await first.stop("SIGKILL"), "SIGKILL");
  finish();
  await until("the worker has noticed", () => hired.log.lines.some(({ message }) => /does not answer/.test(message)));
  const second = await serve(["--data", data, "--port", port]);
  const { status, result } = await itsClient.wait(id, { timeoutMs: 10_000 });
  assert.deepEqual([status, result], ["completed", { attempt: 1 }]);
  assert.deepEqual(await itsClient.run("@global:modifiers:Outlive", {}, { timeoutMs: 10_000 }), { attempt: 1 });
  assert.ok(hired.log.lines.some(({ message }) => message === "the server answers again"));
  await hired.worker.stop();
  await second.stop();
});

test("a worker that starts before its server waits for it", async () => {
  const data = await temporaryFolder();
  const before = await serve(["--data", data]);
  const there = { url: before.url, token: readFileSync(join(data, "admin-token"), "utf8").trim() };
  await before.stop();
  const hired = hire(there, (worker) => worker.job("@global:modifiers:Early", {}, () => "early"));
  const started = hired.start();
  await until("it tries", () => hired.log.lines.some(({ message }) => /does not answer/.test(message)));
  const serving = await serve(["--data", data, "--port", new URL(there.url).port]);
  await started;
  assert.equal(await clientOf(there).run("@global:modifiers:Early"), "early");
  await hired.worker.stop();
  await serving.stop();
});
