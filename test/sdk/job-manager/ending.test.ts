import assert from "node:assert/strict";
import { test } from "node:test";
import { Category, Extension } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { socketStandIn } from "./socket-stand-in.ts";
import { managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const { admin } = scene;
const sockets = await socketStandIn();

class Work extends Extension {
  static readonly category = Category.MODIFIER;
  run() {}
}

async function submit(room: string): Promise<string> {
  const { body } = await admin.post(`/rooms/lab/tasks/${room}:modifiers:Work`, {});
  return body.id;
}

test("disconnect lets the task under way end, then leaves its rooms, then deletes the worker, once", async () => {
  const gate = Promise.withResolvers<string>();
  const socket = sockets.client();
  const { manager, wire } = scene.manager({ execute: () => gate.promise }, socket);
  await manager.register(Work, { room: "good-end" });
  const { workerId } = manager;
  const id = await submit("good-end");
  await scene.taskWith("running", id);
  await until("it joined", () => sockets.heard.some(({ what }) => what === "join_job_room good-end:modifiers:Work"));
  const ends = [manager.disconnect(), manager.disconnect()];
  const later = await submit("good-end");
  assert.ok(!wire.requests.some((request) => request.startsWith("DELETE")));
  gate.resolve("done");
  await Promise.all(ends);
  await manager.disconnect();
  assert.equal((await admin.get(`/tasks/${id}`)).body.result, "done");
  assert.equal((await admin.get(`/tasks/${later}`)).body.status, "pending", "nothing new was begun");
  assert.deepEqual(
    wire.requests.filter((request) => request.startsWith("DELETE")),
    [`DELETE /workers/${workerId}`],
  );
  assert.ok(wire.requests.at(-1)?.startsWith("DELETE"));
  await until("it left", () => sockets.heard.some(({ what }) => what === "leave_job_room good-end:modifiers:Work"));
  assert.equal(manager.workerId, null);
  assert.equal(manager.jobs.size, 0);
  assert.ok(socket.connected, "the host's socket is the host's");
  await assert.rejects(manager.register(Work), /has disconnected/);
  await assert.rejects(manager.claim(), /has disconnected/);
});

test("a handler that hangs is waited for no longer than the limit; its task fails with its worker", async () => {
  let signal: AbortSignal | undefined;
  const { manager } = scene.manager({
    joinTimeout: 0.05,
    execute(task) {
      signal = task.signal;
      return new Promise(() => undefined);
    },
  });
  await manager.register(Work, { room: "hang" });
  const id = await submit("hang");
  await scene.taskWith("running", id);
  await manager.disconnect();
  assert.match(String(signal?.reason), /The manager has ended/);
  assert.equal((await admin.get(`/tasks/${id}`)).body.error, "Worker disconnected");
});

test("the beats go on while the last task is waited for", async () => {
  const gate = Promise.withResolvers<void>();
  const { manager, wire } = scene.manager({ execute: () => gate.promise, joinTimeout: 30, heartbeatInterval: 0.01 });
  await manager.register(Work, { room: "beats" });
  await scene.taskWith("running", await submit("beats"));
  const end = manager.disconnect();
  const beats = () => wire.requests.filter((request) => request.startsWith("PATCH /workers")).length;
  const before = beats();
  await until("it beats", () => beats() > before + 2);
  gate.resolve();
  await end;
});

test("a task that was claimed while the manager was told to stop goes back", async () => {
  const { manager, wire } = scene.manager({ execute: () => assert.fail("must not run") });
  // Its claims find nothing until the task is there.
  wire.meddle = (request) => (request.endsWith("/claim") ? Response.json({ task: null }) : undefined);
  await manager.register(Work, { room: "too-late" });
  const id = await submit("too-late");
  const stopped = Promise.withResolvers<void>();
  wire.meddle = (request) => {
    if (request.endsWith("/claim")) stopped.resolve(manager.disconnect());
    return undefined;
  };
  await stopped.promise;
  const { body: events } = await admin.get(`/tasks/${id}/events`);
  const types = events.items.map(({ type }: { type: string }) => type);
  assert.deepEqual(types, ["task.submitted", "task.claimed", "task.released"]);
  assert.equal((await admin.get(`/tasks/${id}`)).body.status, "pending");
});

test("a goodbye that fails is in the log, and nobody is bothered", async () => {
  const { manager, wire, said } = scene.manager();
  await manager.register(Work, { room: "no-goodbye" });
  wire.meddle = () => "never-arrives";
  await manager.disconnect();
  assert.ok(said.some((line) => /could not say goodbye/.test(line)));
});

test("`await using` disconnects at the end", async () => {
  let worker: string | null;
  {
    await using manager = scene.manager().manager;
    await manager.register(Work, { room: "using" });
    worker = manager.workerId;
  }
  assert.equal((await admin.get(`/workers/${worker}`)).body.state, "DELETED");
});

test("`wait` takes its signal handlers away again", async () => {
  const before = process.listeners("SIGTERM");
  const { manager } = scene.manager();
  await manager.register(Work, { room: "signals" });
  const waited = manager.wait();
  assert.equal(process.listenerCount("SIGTERM"), before.length + 1);
  await manager.disconnect();
  await waited;
  assert.deepEqual(process.listeners("SIGTERM"), before);
});
