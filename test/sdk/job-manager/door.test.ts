// JobManager with the server's own Socket.IO door, and through a handler that blocks its program.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Category, Extension, JobManager, Provider } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { restScene } from "../../rest/scene.ts";
import { managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const { admin } = scene;
const address = { url: scene.url, token: admin.token };
/** Never by itself within the test. */
const pollingInterval = 60;

class Work extends Extension {
  static readonly category = Category.MODIFIER;
  run() {}
}

async function submit(room: string): Promise<string> {
  const { body } = await admin.post(`/rooms/${room}/tasks/${room}:modifiers:Work`, {});
  return body.id;
}

test("a task that is submitted wakes the manager by the server's own door", async () => {
  await using manager = new JobManager(address, {}, { pollingInterval, execute: () => "done" });
  await manager.register(Work, { room: "woken" });
  const first = await submit("woken");
  await scene.taskWith("completed", first);
  await scene.taskWith("completed", await submit("woken"));
});

test("a cancel reaches the handler at once", async () => {
  let signal: AbortSignal | undefined;
  const execute = (task: { readonly signal: AbortSignal }) => {
    signal = task.signal;
    return once(task.signal, "abort");
  };
  await using manager = new JobManager(address, {}, { pollingInterval, heartbeatInterval: 60, execute });
  await manager.register(Work, { room: "cancelled" });
  const id = await submit("cancelled");
  await scene.taskWith("running", id);
  assert.equal((await admin.post(`/tasks/${id}/cancel`)).status, 200);
  await until("the handler hears of it", () => signal?.aborted === true);
});

test("a provider answers reads by way of the server, byte for byte, for as long as it is there", async () => {
  class Bytes extends Provider {
    static readonly category = "files";
    static readonly contentType = "application/octet-stream";
    override read({ name = "" }: Readonly<Record<string, string>>) {
      return Uint8Array.of(0, 255, name.length);
    }
  }
  const path = "/rooms/lab/providers/lab:files:disk?name=four";
  {
    await using manager = new JobManager(address, {}, { pollingInterval });
    await manager.registerProvider(Bytes, { name: "disk", room: "lab" });
    const answer = await fetch(`${scene.url}/v1${path}`, { headers: { authorization: `Bearer ${admin.token}` } });
    assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), Uint8Array.of(0, 255, 4));
    assert.equal(answer.headers.get("content-type"), "application/octet-stream");
  }
  assert.equal((await admin.get(path)).status, 404);
});

test("a handler that blocks its program for longer than the worker's window loses nothing", async () => {
  const strict = await restScene({ "worker-timeout-seconds": "2", "sweeper-interval-seconds": "1" });
  const program = fileURLToPath(new URL("./blocking-program.ts", import.meta.url));
  const child = fork(program, [strict.url, strict.admin.token, "5000"], { execArgv: [] });
  try {
    await once(child, "message");
    const { body } = await strict.admin.post("/rooms/lab/tasks/@global:modifiers:Block", {});
    const worker = async () => (await strict.admin.get("/workers")).body.items[0];
    const blocked = async () => (await strict.admin.get(`/workers/${(await worker()).id}`)).body.status?.loopLagMs ?? 0;
    await until("the server is told that it is blocked", async () => (await blocked()) > 1_000, 10_000);
    const done = await strict.admin.get(`/tasks/${body.id}`, { prefer: "wait=20" });
    assert.equal(done.body.status, "completed");
    assert.equal(done.body.attempt, 1);
  } finally {
    child.kill("SIGKILL");
    await strict.stop();
  }
});
