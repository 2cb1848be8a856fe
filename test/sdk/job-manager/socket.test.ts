// Against a stand-in for the server's Socket.IO door; see socket-stand-in.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Category, type ClaimedTask, Extension, JobManager, Provider } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { socketStandIn } from "./socket-stand-in.ts";
import { managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const { admin } = scene;
const sockets = await socketStandIn();
/** Nobody looks by himself within a test's time. */
const onlyWoken = { pollingInterval: 600, heartbeatInterval: 600 };

class Work extends Extension {
  static readonly category = Category.MODIFIER;
  run() {}
}

const joins = (name: string) => sockets.heard.filter(({ what }) => what === `join_job_room ${name}`);

async function submit(room: string): Promise<string> {
  const { body } = await admin.post(`/rooms/lab/tasks/${room}:modifiers:Work`, {});
  return body.id;
}

function announce(room: string, id: string): void {
  const job_name = `${room}:modifiers:Work`;
  sockets.say(`jobs:${job_name}`, "task_available", { job_name, room_id: "lab", task_id: id });
}

test("a wake-up brings a task to the worker without a look in between", async () => {
  const { manager } = scene.manager({ ...onlyWoken, execute: () => "done" }, sockets.client());
  await manager.register(Work, { room: "woken" });
  await until("it joined", () => joins("woken:modifiers:Work").length > 0);
  assert.equal(joins("woken:modifiers:Work")[0]?.workerId, manager.workerId);
  for (let round = 0; round < 3; round += 1) {
    const id = await submit("woken");
    announce("woken", id);
    await scene.taskWith("completed", id);
  }
});

test("a wake-up that comes during a claim is not lost", async () => {
  const socket = sockets.client();
  const { manager, wire } = scene.manager({ ...onlyWoken, execute: () => "done" }, socket);
  await manager.register(Work, { room: "during" });
  await until("it joined", () => joins("during:modifiers:Work").length > 0);
  const id = await submit("during");
  const claimed = Promise.withResolvers<void>();
  wire.meddle = async (request) => {
    if (!request.endsWith("/claim")) return undefined;
    // This claim finds nothing, and the wake-up comes before its answer.
    wire.meddle = () => undefined;
    const woken = new Promise((resolve) => socket.once("task_available", resolve));
    announce("during", id);
    await woken;
    claimed.resolve();
    return Response.json({ task: null });
  };
  announce("during", id);
  await claimed.promise;
  await scene.taskWith("completed", id);
});

test("a manager that lost its connection joins its rooms again, looks for tasks, and beats", async () => {
  const { manager, wire } = scene.manager({ ...onlyWoken, execute: () => "done" }, sockets.client());
  await manager.register(Work, { room: "cut" });
  await until("it joined", () => joins("cut:modifiers:Work").length > 0);
  const id = await submit("cut");
  wire.requests.length = 0;
  const before = joins("cut:modifiers:Work").length;
  sockets.cut();
  await until("it joined again", () => joins("cut:modifiers:Work").length > before);
  await scene.taskWith("completed", id);
  await until("it beat", () => wire.requests.some((request) => request.startsWith("PATCH /workers")));
});

test("a cancel over the socket reaches the handler at once", async () => {
  let held: ClaimedTask | undefined;
  const execute = (task: ClaimedTask) => {
    held = task;
    return new Promise((resolve) => task.signal.addEventListener("abort", resolve));
  };
  const { manager } = scene.manager({ ...onlyWoken, execute }, sockets.client());
  await manager.register(Work, { room: "cancel" });
  await until("it joined", () => joins("cancel:modifiers:Work").length > 0);
  const id = await submit("cancel");
  announce("cancel", id);
  await scene.taskWith("running", id);
  await admin.post(`/tasks/${id}/cancel`);
  sockets.sayToAll("task_cancel", { task_id: id, worker_id: manager.workerId });
  await until("the handler heard", () => held?.signal.aborted === true);
});

test("a socket of the manager's own shows the requests' token, comes back when sent away, and ends with it", async () => {
  const wire = { requests: [], meddle: () => undefined };
  const real = scene.api(wire);
  // The REST API is the real one; the address is that of the stand-in.
  const http: typeof fetch = (input, init) => real.http(String(input).replace(sockets.url, scene.url), init);
  const api = { ...real, baseUrl: sockets.url, http };
  const own = new JobManager(api, { reconnectionDelayMax: 10 }, { ...onlyWoken, execute: () => 1 });
  await own.register(Work, { room: "own" });
  await until("it joined", () => joins("own:modifiers:Work").length > 0);
  assert.deepEqual(sockets.shown.at(-1), { token: admin.token });
  const before = joins("own:modifiers:Work").length;
  sockets.sendAway(1);
  await until("it joined again", () => joins("own:modifiers:Work").length > before);
  const id = await submit("own");
  announce("own", id);
  await scene.taskWith("completed", id);
  await own.disconnect();
  const left = () => sockets.heard.some(({ what }) => what === "leave_job_room own:modifiers:Work");
  await until("it left", left);
});

class Files extends Provider {
  static readonly category = "filesystem";
  static readonly contentType: string = "application/octet-stream";
  override read({ name = "" }: Readonly<Record<string, string>>, files: ReadonlyMap<string, Uint8Array>) {
    return files.get(name) ?? assert.fail("no such file");
  }
}

test("a provider reads what it is asked for and uploads it, byte for byte, under the request's hash", async () => {
  const uploads: { path: string; hash: string | null; type: string | null; body: unknown }[] = [];
  const puts: unknown[] = [];
  const wire = { requests: [], meddle: () => undefined };
  const real = scene.api(wire);
  const workerId = crypto.randomUUID();
  // A stand-in for the server's routes of providers.
  const http: typeof fetch = async (input, init) => {
    const path = new URL(String(input)).pathname;
    if (!path.includes("/providers")) return real.http(input, init);
    if (init?.method === "PUT") {
      puts.push({ path, ...JSON.parse(String(init.body)) });
      return Response.json({ id: "provider-1", worker_id: workerId }, { status: 201 });
    }
    const headers = new Headers(init?.headers);
    const [hash, type] = [headers.get("x-request-hash"), headers.get("content-type")];
    uploads.push({ path: `${init?.method} ${path}`, hash, type, body: init?.body });
    return new Response(null, { status: 204 });
  };
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const log = { info: say, warn: say, error: say };
  const manager = new JobManager({ ...real, http }, sockets.client(), { ...onlyWoken, log });
  const files = new Map([["a", Uint8Array.of(0, 255, 10)]]);
  assert.equal(await manager.registerProvider(Files, { name: "local", handler: files, room: "lab" }), "provider-1");
  const name = "lab:filesystem:local";
  const { contentType } = Files;
  const body = { category: "filesystem", name: "local", schema: {}, content_type: contentType };
  assert.deepEqual(puts, [{ path: "/v1/rooms/lab/providers", ...body }]);
  assert.equal(manager.handlers.get(name), files);
  await until("it joined", () => sockets.heard.some(({ what }) => what === `join_provider_room ${name}`));
  const ask = (request_id: string, params: string) =>
    sockets.say(`providers:${name}`, "provider_request", { request_id, provider_name: name, params });
  ask("hash-0", '{"name":"missing"}');
  ask("hash-1", '{"name":"a"}');
  await until("it uploaded", () => uploads.length > 0);
  const path = "POST /v1/providers/provider-1/results";
  assert.deepEqual(uploads, [{ path, hash: "hash-1", type: null, body: files.get("a") }]);
  assert.ok(said.some((line) => line.includes("gave no answer")));
  await manager.unregisterProvider(name);
  assert.equal(uploads.at(-1)?.path, "DELETE /v1/providers/provider-1");
  await until("it left", () => sockets.heard.some(({ what }) => what === `leave_provider_room ${name}`));
  await manager.disconnect();
});

test("a provider without a socket is refused: nobody could ask it", async () => {
  const { manager } = scene.manager();
  await assert.rejects(manager.registerProvider(Files, { name: "local" }), /over Socket\.IO/);
});
