// What a manager tells the server arrives whole, and what it hears of it is true.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Server as SocketServer } from "socket.io";
import { Category, type ClaimedTask, Extension, Fail, JobManager } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { managerScene } from "./wire-scene.ts";

const scene = await managerScene();
const { admin } = scene;

class Tell extends Extension {
  static readonly category = Category.MODIFIER;
  override run(): void {}
}

async function submit(room: string): Promise<string> {
  return (await admin.post(`/rooms/${room}/tasks/${room}:modifiers:Tell`, {})).body.id;
}

async function taken(manager: JobManager): Promise<ClaimedTask> {
  const task = await manager.claim();
  assert.ok(task !== null);
  await manager.start(task);
  return task;
}

test("an outcome that was heard and whose answer got lost is no error by hand either", async () => {
  const { manager, wire } = scene.manager();
  await manager.register(Tell, { room: "once", policy: { retry: { maxAttempts: 2, baseMs: 60_000 } } });
  let cut = 0;
  wire.meddle = (request) =>
    /^(PATCH \/tasks|POST .*release)/.test(request) && cut-- > 0 ? "answer-is-lost" : undefined;
  const ids = [await submit("once"), await submit("once")];
  const [first, second] = [await taken(manager), await taken(manager)];
  cut = 1;
  await manager.complete(first, 5);
  cut = 1;
  await manager.fail(second, new Error("not now"));
  const statuses = await Promise.all(ids.map(async (id) => (await admin.get(`/tasks/${id}`)).body.status));
  assert.deepEqual(statuses, ["completed", "pending"]);
  const third = await submit("once");
  const cancelled = await taken(manager);
  await admin.patch(`/tasks/${third}`, { status: "cancelled" });
  cut = 1;
  await assert.rejects(manager.complete(cancelled, 5), /cancelled/);
});

test("a failure that no other attempt would mend is not tried again", async () => {
  const { manager } = scene.manager({
    execute: () => {
      throw new Fail("There is no such mailbox", { retryable: false });
    },
  });
  await manager.register(Tell, { room: "final", policy: { retry: { maxAttempts: 3, baseMs: 1 } } });
  const { attempt, error } = await scene.taskWith("failed", await submit("final"));
  assert.deepEqual([attempt, error], [1, "There is no such mailbox"]);
});

test("what an operator says is acknowledged, and what is taken away is stopped", async () => {
  const stopped: unknown[] = [];
  const { manager } = scene.manager({
    execute: ({ signal, attempt }) =>
      new Promise<void>((resolve) => {
        if (attempt > 1) return resolve();
        signal.addEventListener("abort", () => {
          stopped.push(signal.reason);
          resolve();
        });
      }),
  });
  await manager.register(Tell, { room: "operated" });
  const id = await submit("operated");
  const { worker_id: worker } = await scene.taskWith("running", id);
  await admin.post(`/workers/${worker}/pause`, { note: "the disk is full" });
  await admin.post(`/tasks/${id}/evict`, {});
  await until("the handler was stopped", () => stopped.length === 1);
  assert.match(String(stopped[0]), /taken away/);
  await admin.post(`/workers/${worker}/resume`, {});
  const acked = async () => {
    const { items } = (await admin.get(`/workers/${worker}/commands`)).body;
    return items.filter(({ ok }: { ok: boolean | null }) => ok === true).length === 3;
  };
  await until("all three are acknowledged", acked);
  assert.equal((await scene.taskWith("completed", id)).attempt, 2);
});

test("words that no database keeps are told without them", async () => {
  const { manager } = scene.manager({
    execute: ({ log, progress }) => {
      log.info("a\u0000b");
      log.info("fine");
      progress(1, 2, "half\u0000way");
    },
  });
  await manager.register(Tell, { room: "words" });
  const { id, progress } = await scene.taskWith("completed", await submit("words"));
  const { body } = await admin.get(`/tasks/${id}/logs`);
  const messages = body.items.map(({ message }: { message: string }) => message);
  assert.deepEqual([messages, progress.message], [["a\ufffdb", "fine"], "half\ufffdway"]);
});

test("a manager that has ended knocks no more at a door that refused it", async () => {
  const door = createServer((_, answer) => void answer.end("{}"));
  const io = new SocketServer(door);
  const knocks: string[] = [];
  io.use(({ handshake }, next) => {
    knocks.push(handshake.auth["token"]);
    next(new Error("refused"));
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  after(() => io.close());
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const patience = { reconnectionDelayMax: 200 };
  const ended = new JobManager({ url, token: "lh_one" }, { ...patience, forceNew: true });
  await until("it was refused", () => knocks.length > 0);
  // It has heard of that by the time it hears of what was said later.
  for (let times = 0; times < 5; times += 1) await fetch(url);
  await ended.disconnect();
  const before = knocks.length;
  const other = new JobManager({ url, token: "lh_two" }, { ...patience, forceNew: true });
  await until("another was refused again and again", () => knocks.filter((each) => each === "lh_two").length > 3);
  await other.disconnect();
  assert.deepEqual([...new Set(knocks.slice(before))], ["lh_two"]);
});
