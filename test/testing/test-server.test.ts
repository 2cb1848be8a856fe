// As users would write them: a whole server, and a clock that is moved.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { io } from "socket.io-client";
import { Client, job, RetryLater, ServerProblem } from "../../src/sdk/index.ts";
import { type TestServer, type TestServerOptions, testServer } from "../../src/testing/index.ts";
import { until } from "../../src/testing/until.ts";

async function aServer(options?: TestServerOptions): Promise<TestServer> {
  const server = await testServer(options);
  after(server.stop);
  return server;
}

const echo = job("@global:modifiers:Echo", {}, (task) => task.input);

describe("what time does", () => {
  test("a task that fails is tried again when its time has come, and not before", async () => {
    const server = await aServer();
    const failing = job("@global:modifiers:Fail", { retry: { maxAttempts: 3, baseMs: 10_000 } }, ({ attempt }) => {
      throw new Error(`attempt ${attempt}`);
    });
    await server.worker(failing);
    const { id } = await server.client.submit(failing);
    await server.advance("9s");
    assert.equal((await server.task(id)).attempt, 1);
    await server.advance("1s");
    assert.equal((await server.task(id)).attempt, 2);
    await server.advance("5m");
    const { status, error, attempt } = await server.task(id);
    assert.deepEqual({ status, error, attempt }, { status: "failed", error: "attempt 3", attempt: 3 });
    const tries = ["assigned", "retried", "assigned", "retried", "assigned", "failed"];
    assert.deepEqual(await server.history(id), ["submitted", ...tries]);
  });

  test("one move of the clock shows every retry at its own time", async () => {
    const startAt = Date.UTC(2030, 0, 1);
    // Every handler ends, so there is time to wait for it on a busy machine.
    const server = await aServer({ startAt, patienceMs: 5_000 });
    const seen: number[] = [];
    const failing = job("@global:modifiers:Fail", { retry: { maxAttempts: 4, baseMs: 60_000 } }, async () => {
      seen.push(server.clock.now() - startAt);
      // A handler takes real time, and none by the server's clock.
      for (let asked = 0; asked < 10; asked += 1) await (await fetch(`${server.url}/health`)).text();
      throw new Error("no");
    });
    await server.worker(failing);
    const { id } = await server.client.submit(failing);
    await server.advance("10m");
    assert.equal((await server.task(id)).status, "failed");
    const late = [0, 60_000, 180_000, 420_000].map((at, nth) => (seen[nth] ?? Number.NaN) - at);
    assert.ok(
      late.every((ms) => ms >= 0 && ms <= 1_100),
      `${seen}`,
    );
    assert.equal(server.clock.now(), startAt + 600_000);
  });

  test("a handler that takes too long runs out of time, and is told", async () => {
    const server = await aServer({ patienceMs: 50 });
    const told = Promise.withResolvers<unknown>();
    const endless = job("@global:modifiers:Endless", { timeoutMs: 30_000 }, ({ signal }) => {
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          told.resolve(signal.reason);
          reject(signal.reason);
        });
      });
    });
    await server.worker(endless);
    const { id } = await server.client.submit(endless);
    await server.advance("29s");
    assert.equal((await server.task(id)).status, "running");
    await server.advance("2s");
    assert.equal((await server.task(id)).status, "failed");
    assert.ok((await server.history(id)).includes("timed_out"));
    await told.promise;
  });

  test("a handler that never ends does not hold up the clock", { timeout: 20_000 }, async () => {
    const server = await aServer({ patienceMs: 50 });
    const deaf = job("@global:modifiers:Deaf", { timeoutMs: 30_000 }, () => new Promise<never>(() => {}));
    await server.worker(deaf);
    const { id } = await server.client.submit(deaf);
    await server.advance("20m");
    assert.equal((await server.task(id)).status, "failed");
  });

  test("a task that was submitted for later waits for its time", async () => {
    const server = await aServer();
    await server.worker(echo);
    const { id } = await server.client.submit(echo, { n: 1 }, { delayMs: 3_600_000 });
    await server.advance("59m");
    assert.equal((await server.task(id)).status, "pending");
    await server.advance("1m");
    assert.deepEqual((await server.client.wait(id, { timeoutMs: 5_000 })).result, { n: 1 });
  });

  test("a worker is there when something becomes due, also where its long poll has just ended", async () => {
    const startAt = Date.UTC(2030, 0, 1);
    // Every handler ends, so there is time to wait for it on a busy machine.
    const server = await aServer({ startAt, patienceMs: 5_000 });
    const seen: number[] = [];
    const noting = job("@global:modifiers:Note", {}, () => void seen.push(server.clock.now() - startAt));
    // Its requests take their time.
    const slowToken = async (): Promise<string> => {
      for (let asked = 0; asked < 10; asked += 1) await (await fetch(`${server.url}/health`)).text();
      return server.token;
    };
    await server.worker(noting, { token: slowToken });
    const delays = [1, 2, 3, 4, 5, 6].map((polls) => polls * 30_000 + 1);
    for (const delayMs of delays) await server.client.submit(noting, {}, { delayMs });
    await server.advance("4m");
    const late = delays.map((at, nth) => (seen[nth] ?? Number.NaN) - at);
    assert.ok(
      late.every((ms) => ms >= 0 && ms <= 100),
      `${late}`,
    );
  });

  test("a handler that asks for later gets what it has handed on", async () => {
    const server = await aServer();
    const counting = job("@global:modifiers:Count", {}, ({ checkpoint }) => {
      const { n } = (checkpoint ?? { n: 0 }) as { n: number };
      if (n < 2) throw new RetryLater(60_000, { checkpoint: { n: n + 1 } });
      return { n };
    });
    await server.worker(counting);
    const { id } = await server.client.submit(counting);
    await server.advance("3m");
    assert.deepEqual((await server.task(id)).result, { n: 2 });
  });
});

describe("workers", () => {
  test("a worker stays alive however far the clock is moved", async () => {
    const server = await aServer();
    const worker = await server.worker(echo);
    const { id } = worker;
    await server.advance("20m");
    assert.equal(worker.id, id);
    assert.deepEqual(await server.client.run(echo, { n: 1 }, { timeoutMs: 5_000 }), { n: 1 });
  });

  test("a worker that was silenced is lost, and what it held runs again elsewhere", async () => {
    const server = await aServer({ patienceMs: 50 });
    const stuckAtFirst = job("@global:modifiers:Stuck", {}, ({ attempt, signal }) => {
      if (attempt > 1) return { attempt };
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const worker = await server.worker(stuckAtFirst);
    const first = worker.id;
    const { id } = await server.client.submit(stuckAtFirst);
    await server.advance(0);
    worker.silence();
    await server.advance("59s");
    assert.equal((await server.task(id)).status, "running");
    await server.worker(stuckAtFirst);
    await server.advance("2s");
    const { status, result, worker_id } = await server.task(id);
    assert.deepEqual({ status, result }, { status: "completed", result: { attempt: 2 } });
    assert.notEqual(worker_id, first);
    assert.deepEqual(await server.history(id), ["submitted", "assigned", "lost", "assigned", "completed"]);
    await until("it has come back under another id", () => worker.id !== first);
  });

  test("a worker in any language is silenced by its id", async () => {
    const server = await aServer();
    const send = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${server.token}` };
      const answer = await fetch(`${server.url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
      return (await answer.json()) as { worker_id: string };
    };
    const { worker_id } = await send("PUT", "/rooms/lab/jobs", { category: "modifiers", name: "Plain" });
    const { id } = await server.client.submit("lab:modifiers:Plain");
    await send("POST", "/tasks/claim", { worker_id });
    await server.advance("4m");
    assert.equal((await server.task(id)).status, "claimed", "nobody has been silent");
    server.silence(worker_id);
    await server.advance("61s");
    assert.equal((await server.task(id)).error_code, "worker_lost");
  });

  test("a worker that cannot register says why", async () => {
    const server = await aServer();
    await assert.rejects(server.worker(job("@global:no-such-category:Echo", {}, () => null)), ServerProblem);
  });
});

describe("who asks", () => {
  test("a token is good for what it was made for, until its time by the server's clock", async () => {
    const server = await aServer();
    await server.worker(echo);
    const token = await server.tokenFor("ada", { rooms: ["lab"], expiresAt: server.clock.now() + 60_000 });
    using ada = new Client({ url: server.url, token });
    assert.equal((await ada.submit(echo, {}, { room: "lab" })).room_id, "lab");
    await assert.rejects(ada.submit(echo, {}, { room: "elsewhere" }), ServerProblem);
    await server.advance("2m");
    await assert.rejects(ada.submit(echo, {}, { room: "lab" }), ServerProblem);
  });

  test("whoever looks on over Socket.IO is told at once, while the clock stands still", async () => {
    const server = await aServer();
    await server.worker(echo);
    const socket = io(server.url, { auth: { token: server.token }, transports: ["websocket"] });
    after(() => void socket.disconnect());
    const seen: string[] = [];
    socket.on("task_status_event", ({ id, status }) => void seen.push(`${id} ${status}`));
    assert.deepEqual(await socket.timeout(5_000).emitWithAck("room_join", { room_id: "@global" }), { ok: true });
    for (let nth = 0; nth < 3; nth += 1) {
      const { id } = await server.client.submit(echo);
      await until("its end is told", () => seen.includes(`${id} completed`));
    }
  });
});

describe("the server itself", () => {
  test("it takes the settings of a real one", async () => {
    await using server = await testServer({
      settings: { LEADHAND_BODY_BYTES_MAX: "70000", LEADHAND_PAYLOAD_BYTES_MAX: "65536" },
    });
    await server.worker(echo);
    await assert.rejects(server.client.submit(echo, { text: "x".repeat(66_000) }), ServerProblem);
  });

  test("it ends with its workers, and may be stopped twice", async () => {
    const server = await testServer();
    await server.worker(echo);
    await Promise.all([server.stop(), server.stop()]);
    await assert.rejects(fetch(`${server.url}/health`));
  });

  test("moves of the clock that are asked for together follow each other", async () => {
    const server = await aServer();
    const begin = server.clock.now();
    await Promise.all([server.advance("1m"), server.clock.advance(500), server.advance("1s")]);
    assert.equal(server.clock.now(), begin + 61_500);
  });

  test("a clock is not moved by nonsense, nor backwards", async () => {
    const server = await aServer();
    for (const time of ["soon", -1, 0.5, Number.NaN]) await assert.rejects(server.advance(time), RangeError);
  });
});
