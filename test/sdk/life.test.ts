// What a worker lives through: its end in good order, a server that forgets it, tokens that end, answers that get lost.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Server as SocketServer } from "socket.io";
import { cancelSocket } from "../../src/sdk/heartbeat/cancel-socket.ts";
import { RetryLater, ServerProblem, TaskAborted, type Worker } from "../../src/sdk/index.ts";
import { restApi } from "../../src/sdk/rest-api.ts";
import { steadyApi } from "../../src/sdk/steady-api.ts";
import { hands } from "../../src/sdk/worker/hands.ts";
import { strays } from "../../src/sdk/worker/strays.ts";
import { issueToken } from "../../src/server/auth/tokens.ts";
import { readConfig } from "../../src/server/config.ts";
import { databaseOf } from "../../src/server/database.ts";
import { systemClock, systemSecret } from "../../src/server/system.ts";
import { withTokens } from "../../src/server/token-database.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { restScene } from "../rest/scene.ts";
import { history } from "../rest/workshop.ts";
import { lossyWire } from "./lossy-wire.ts";
import { clientOf, hire } from "./scene.ts";

const scene = await restScene();
const { admin } = scene;
const where = { url: scene.url, token: admin.token };
const client = clientOf(where);
const clock = systemClock();
const full = (name: string) => `@global:modifiers:${name}`;

/** A promise, and what ends it. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function isRunning(id: string): Promise<void> {
  await until("the task runs", async () => (await client.get(id)).status === "running");
}

for (const link of ["rest", "fleet"] as const) {
  test(`a worker that is given up while it registers begins anew (${link})`, async () => {
    const job = link === "rest" ? full("Slow") : "@global:blocks:lens/slow:1";
    let asked = 0;
    async function token(): Promise<string> {
      asked += 1;
      // It is there now, and does not serve its job yet.
      if (asked === 2) for (const { id } of await unlucky()) await admin.delete(`/workers/${id}`);
      return admin.token;
    }
    const unlucky = async () =>
      (await admin.get("/workers")).body.items.filter(({ name }: { name: string }) => name === `unlucky ${link}`);
    const hired = await hire(where, (worker) => worker.job(job, {}, () => "done"), {
      ...{ link, token, name: `unlucky ${link}` },
    }).start();
    assert.deepEqual(
      (await unlucky()).map(({ id }: { id: string }) => id),
      hired.ids,
    );
    const { id } = await client.submit(job);
    assert.equal((await client.wait(id, { timeoutMs: 20_000 })).result, "done");
    assert.ok(hired.log.lines.some(({ message }) => /gave this worker up before it was registered/.test(message)));
  });
}

test("a worker that stops lets its handlers end, takes nothing new, and says goodbye", async () => {
  const { opened, open } = gate();
  const hired = await hire(where, (worker) => worker.job(full("Drained"), {}, () => opened)).start();
  const first = await client.submit(full("Drained"));
  await isRunning(first.id);
  const stopped = hired.worker.stop();
  const second = await client.submit(full("Drained"));
  open();
  await Promise.all([stopped, hired.running()]);
  assert.equal((await client.get(first.id)).status, "completed");
  assert.equal((await client.get(second.id)).status, "pending");
  assert.equal((await admin.get(`/workers/${hired.ids[0]}`)).body.state, "DELETED");
  await client.cancel(second.id);
});

test("handlers that are given all the time there is are not hurried", async () => {
  const { opened, open } = gate();
  let wasAborted = false;
  const hired = await hire(where, (worker) => {
    worker.job(full("Patient"), {}, async ({ signal }) => {
      await opened;
      wasAborted = signal.aborted;
    });
  }).start();
  const { id } = await client.submit(full("Patient"));
  await isRunning(id);
  const stopped = hired.worker.stop({ drainMs: Number.POSITIVE_INFINITY });
  // By now a timer that overflowed would have run.
  for (let times = 0; times < 3; times += 1) await client.get(id);
  open();
  await stopped;
  assert.deepEqual([(await client.get(id)).status, wasAborted], ["completed", false]);
});

test("a handler that has no time left is asked to stop; its task goes back, and is no failure", async () => {
  const hired = await hire(
    where,
    (worker) => {
      const later = ({ signal }: { signal: AbortSignal }, answer: (reason: unknown) => unknown) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(answer(signal.reason))));
      worker.job(full("Throws"), {}, (task) => later(task, (reason) => reason));
      worker.job(full("Hands"), {}, (task) => later(task, () => new RetryLater(0, { checkpoint: { at: 3 } })));
      worker.job(full("Deaf"), {}, () => new Promise(() => {}));
    },
    { concurrency: 3 },
  ).start();
  const tasks = await client.submitMany("lab", [
    { job: full("Throws") },
    { job: full("Hands") },
    { job: full("Deaf") },
  ]);
  for (const { id } of tasks) await isRunning(id);
  await hired.worker.stop({ drainMs: 0 });
  for (const { id } of tasks) {
    const { status, losses } = await client.get(id);
    assert.deepEqual([status, losses], ["pending", 0]);
    assert.deepEqual(await history(admin, id), ["submitted", "assigned", "released"]);
  }
  const heir = await hire(where, (worker) => {
    for (const name of ["Throws", "Deaf"]) worker.job(full(name), {}, () => 1);
    worker.job(full("Hands"), {}, ({ checkpoint }) => checkpoint);
  }).start();
  assert.deepEqual((await client.wait(tasks[1]?.id ?? "")).result, { at: 3 });
  await heir.worker.stop();
});

test("a worker that the server gave up registers again and goes on; what it held is another's", async () => {
  let reason: unknown;
  const hired = await hire(
    where,
    (worker) => {
      worker.job(full("Given"), {}, async ({ attempt, signal }) => {
        if (attempt > 1) return attempt;
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        reason = signal.reason;
        return "late";
      });
    },
    { concurrency: 2 },
  ).start();
  const { id } = await client.submit(full("Given"));
  await isRunning(id);
  assert.equal((await admin.delete(`/workers/${hired.ids[0]}`)).status, 204);
  assert.equal((await client.wait(id, { timeoutMs: 5_000 })).result, 2);
  assert.ok(reason instanceof TaskAborted && reason.why === "lost");
  assert.equal(hired.ids.length, 2);
  assert.ok(hired.log.lines.some(({ message }) => message.includes("registering again")));
});

test("tasks that a lost answer had claimed go back when the worker ends", async () => {
  const { opened, open } = gate();
  const hired = await hire(where, (worker) => worker.job(full("Stray"), {}, () => opened)).start();
  const first = await client.submit(full("Stray"));
  await isRunning(first.id);
  const stray = await client.submit(full("Stray"));
  const claimed = await admin.post("/tasks/claim", { worker_id: hired.ids[0] });
  assert.equal(claimed.body.task.id, stray.id);
  open();
  await hired.worker.stop();
  const { status, losses } = await client.get(stray.id);
  assert.deepEqual([status, losses], ["pending", 0]);
});

test("tasks that a lost answer had claimed go back at once, and run", async () => {
  let cut = 1;
  const url = await lossyWire(scene.url, ({ url }, body) => /claim$/.test(url ?? "") && /"id"/.test(body) && cut-- > 0);
  const hired = await hire({ ...where, url }, (worker) =>
    worker.job(full("Cut"), {}, ({ attempt }) => attempt),
  ).start();
  const { id } = await client.submit(full("Cut"));
  const { result, losses } = await client.wait(id, { timeoutMs: 5_000 });
  assert.deepEqual([result, losses, cut < 1], [2, 0, true]);
  assert.deepEqual(await history(admin, id), ["submitted", "assigned", "released", "assigned", "completed"]);
  await hired.worker.stop();
});

test("an end that was told and whose answer got lost counts once, and as told", async () => {
  let cut = 1;
  const url = await lossyWire(
    scene.url,
    ({ method, url }) => method === "PATCH" && /tasks/.test(url ?? "") && cut-- > 0,
  );
  const hired = await hire({ ...where, url }, (worker) => worker.job(full("Told"), {}, () => "done")).start();
  const { id } = await client.submit(full("Told"));
  await until("the worker is through", () => hired.endings.length === 1);
  assert.equal(hired.endings[0]?.ending, "completed");
  assert.equal((await client.get(id)).result, "done");
  await hired.worker.stop();
});

test("a stray that is seen twice goes back; one that may be on its way does not", async () => {
  const { worker_id } = (await admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Seen" })).body;
  const { id } = await client.submit(full("Seen"));
  await admin.post("/tasks/claim", { worker_id, start: true });
  const getHeaders = () => ({ authorization: `Bearer ${admin.token}` });
  const credentials = { renewed: async () => false };
  const api = steadyApi({ api: restApi({ url: scene.url, getHeaders }), credentials });
  const lost = strays(api, hands(1));
  await lost.look(worker_id);
  assert.equal((await client.get(id)).status, "running");
  await lost.look(worker_id);
  assert.equal((await client.get(id)).status, "pending");
});

test("a token that ends is asked for again; without another the worker ends loudly", async () => {
  // Time for both workers to register.
  const expiresAt = clock.now() + 5_000;
  const words = { user: "ada", role: "user", rooms: null, jobs: null, name: null, expiresAt } as const;
  const { config } = readConfig({ environment: {}, flags: { data: scene.data } });
  const { token } = await withTokens(databaseOf(config), recordedLog(), (store) =>
    issueToken({ store, clock, secret: systemSecret }, words),
  );
  const second = await scene.caller("ada");
  const work = (room: string) => (worker: Worker) => void worker.job(`${room}:modifiers:Work`, {}, () => 1);
  const renewing = await hire(where, work("renewing"), {
    token: () => (clock.now() < expiresAt ? token : second.token),
  }).start();
  const fixed = await hire(where, work("fixed"), { token }).start();
  await assert.rejects(fixed.running(), (error: unknown) => error instanceof ServerProblem && error.status === 401);
  assert.ok(fixed.log.lines.some(({ level }) => level === "error"));
  const { id } = await client.submit("renewing:modifiers:Work");
  assert.equal((await client.wait(id, { timeoutMs: 5_000 })).result, 1);
  assert.equal(renewing.ids.length, 1);
});

test("a token that is refused ends the worker with what the server said", async () => {
  const hired = hire(where, (worker) => worker.job(full("Refused"), {}, () => 1), { token: "lh_wrong" });
  await assert.rejects(hired.start(), (error: unknown) => error instanceof ServerProblem && error.status === 401);
  assert.ok(hired.log.lines.some(({ level }) => level === "error"));
});

test("cancels over Socket.IO arrive at once, for the worker that joined, also after the server was away", async () => {
  const door = createServer();
  let io = new SocketServer(door);
  const joined: unknown[] = [];
  const listen = (server: SocketServer) =>
    server.on("connection", (socket) => {
      joined.push(socket.handshake.auth["token"]);
      socket.on("join_job_room", (said) => void joined.push(said));
    });
  listen(io);
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const { port } = door.address() as AddressInfo;
  after(() => io.close());
  const heard: string[] = [];
  const cuts: number[] = [];
  const socket = cancelSocket({
    ...{ url: `http://127.0.0.1:${port}`, token: () => "secret" },
    onCancel: (worker, task) => void heard.push(`${worker} ${task}`),
    onCut: () => void cuts.push(heard.length),
  });
  after(() => socket.close());
  socket.serve("w1", ["a:b:c"]);
  await until("it has joined", () => joined.length === 2);
  assert.deepEqual(joined, ["secret", { job_name: "a:b:c", worker_id: "w1" }]);
  io.emit("task_cancel", { task_id: "t1", worker_id: "w1" });
  io.emit("task_cancel", {});
  await until("the cancel is heard", () => heard.length === 1);
  assert.deepEqual(heard, ["w1 t1"]);
  await io.close();
  io = new SocketServer();
  listen(io);
  io.listen(port);
  await until("it has joined again", () => joined.length === 4, 10_000);
  assert.ok(cuts.length >= 1);
});
