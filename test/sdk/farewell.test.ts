// The last words of handlers and workers: they arrive where they can, and are not waited for where they cannot.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mock, type TestContext, test } from "node:test";
import { setTimeout as later, setImmediate as turn } from "node:timers/promises";
import { heart } from "../../src/sdk/heartbeat/heart.ts";
import { type Report, reports } from "../../src/sdk/reports.ts";
import type { RestReply } from "../../src/sdk/rest-api.ts";
import type { SteadyApi, SteadyAsk } from "../../src/sdk/steady-api.ts";
import type { Ended } from "../../src/sdk/worker/attempt.ts";
import { drain, goodbye } from "../../src/sdk/worker/farewell.ts";
import { hands } from "../../src/sdk/worker/hands.ts";
import { logOf } from "../../src/sdk/worker/options.ts";
import { strays } from "../../src/sdk/worker/strays.ts";

type Answer = (method: string, path: string, ask: SteadyAsk) => unknown;

function apiOf(answer: Answer): SteadyApi {
  return {
    async request<T>(method: string, path: string, ask: SteadyAsk = {}) {
      return { status: 200, headers: new Headers(), text: "", body: await answer(method, path, ask) } as RestReply<T>;
    },
  };
}

const log = logOf(null);
const at = Date.parse("2026-01-01T00:00:00Z");

function messagesOf(report: Report): string[] {
  return report.kind === "logs" ? report.lines.map(({ message }) => message) : [];
}

test("lines after some that the server refused are told before the end", async () => {
  const told: string[] = [];
  let asked = 0;
  const words = reports(async (said) => {
    asked += 1;
    if (asked > 1) told.push(...messagesOf(said));
    return true;
  });
  for (let line = 0; line < 1_200; line += 1) words.log("info", `${line}`, at);
  await words.flush();
  assert.deepEqual([told[0], told.length], ["500", 700]);
});

test("a line that is said as the last one leaves is told too", async () => {
  for (let turns = 0; turns < 12; turns += 1) {
    const told: string[] = [];
    const words = reports(async (said) => {
      told.push(...messagesOf(said));
      return true;
    });
    words.log("info", "first", at);
    const flushed = words.flush();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    words.log("info", "second", at);
    await Promise.all([flushed, words.flush()]);
    assert.deepEqual(told, ["first", "second"], `after ${turns} turns`);
  }
});

test("of a task that is another's no more is told", async () => {
  let asked = 0;
  const words = reports(async () => {
    asked += 1;
    return false;
  });
  for (let line = 0; line < 1_200; line += 1) words.log("info", `${line}`, at);
  await words.flush();
  assert.equal(asked, 1);
});

test("a server that takes every word and answers none is not waited for at the end", async () => {
  const silent = apiOf((_, _path, { signal }) => {
    signal?.throwIfAborted();
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  });
  // Keeps the program awake, as a connection does.
  const awake = setInterval(() => {}, 1_000);
  const inHand = hands(1);
  const task = { id: "t1", lease_token: "l1" } as never;
  inHand.hold({
    task,
    abort() {},
    handled: new Promise(() => {}),
    isHandled: () => false,
    done: new Promise(() => {}),
  });
  const signOff = (worker: string, how: object) => silent.request("DELETE", `/workers/${worker}`, how);
  const parts = {
    api: silent,
    hands: inHand,
    strays: strays(silent, inHand),
    log,
    signOff,
    stopBeating: async () => {},
  };
  await Promise.all([drain(parts, AbortSignal.abort()), goodbye(parts, "w1")]);
  clearInterval(awake);
});

/** The end of a worker with one task whose handler has ended, and whose server is told of it. */
async function endWithOneUntold(t: TestContext) {
  t.after(() => mock.timers.reset());
  mock.timers.enable({ apis: ["setTimeout"] });
  const said: string[] = [];
  const api = apiOf((method, path) => void said.push(`${method} ${path}`));
  const inHand = hands(1);
  const told = Promise.withResolvers<Ended>();
  const task = { id: "t1", lease_token: "l1" } as never;
  inHand.hold({
    ...{ task, isHandled: () => true, handled: Promise.resolve(), done: told.promise },
    abort: (why) => void said.push(why),
  });
  const parts = {
    api,
    hands: inHand,
    strays: strays(api, inHand),
    log,
    signOff: async () => {},
    stopBeating: async () => {},
  };
  const over = drain(parts, AbortSignal.abort());
  await turn();
  mock.timers.tick(1_000);
  await turn();
  return { said, told, over };
}

test("a task whose handler has ended does not go back while its server is told", async (t) => {
  const { said, told, over } = await endWithOneUntold(t);
  mock.timers.tick(2_000);
  await turn();
  told.resolve({ ending: "completed" });
  await over;
  assert.deepEqual(said, ["draining"]);
});

test("it goes back all the same where its server does not listen", async (t) => {
  const { said, over } = await endWithOneUntold(t);
  mock.timers.tick(3_000);
  await over;
  assert.deepEqual(said, ["draining", "lost", "POST /tasks/t1/release"]);
});

test("a worker gives back what it did not know of, is silent, and then says goodbye", async () => {
  const said: string[] = [];
  const api = apiOf(() => void said.push("looks"));
  const lost = { look: async () => {}, giveBack: async () => void said.push("gives back") };
  const stopBeating = async () => {
    await new Promise(setImmediate);
    said.push("is silent");
  };
  const signOff = async () => void said.push("says goodbye");
  await goodbye({ api, hands: hands(1), strays: lost, log, stopBeating, signOff }, "w1");
  assert.deepEqual(said, ["gives back", "is silent", "says goodbye"]);
});

test("a beat that is under way when the heart stops is waited for", async () => {
  const heard = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, answer) => heard.resolve(answer)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said: string[] = [];
  const beats = heart({ url, everyMs: 1_000, socket: false, ping: "fleet", onWord() {}, onDeath: assert.fail });
  beats.start("w1", [], {}, 1);
  const answer = await heard.promise;
  answer.on("close", () => said.push(answer.writableFinished ? "answered" : "cut off"));
  const stopped = beats.stop().then(() => said.push("silent"));
  // Long enough for a thread that does not wait to be gone.
  await Promise.race([stopped, once(answer, "close"), later(300)]);
  answer.end("{}");
  await stopped;
  server.close();
  assert.deepEqual(said, ["answered", "silent"]);
});

test("strays are found behind all that a worker has in hand", async () => {
  const released: string[] = [];
  const mine = Array.from({ length: 700 }, (_, index) => ({ id: `t${index}`, attempt: 1 }));
  const api = apiOf((method, path) => {
    if (method === "POST") return void released.push(path);
    const query = new URL(path, "http://x").searchParams;
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    return { items: query.get("status") === "running" ? mine.slice(offset, offset + limit) : [] };
  });
  const inHand = hands(1_000);
  const never = new Promise<never>(() => {});
  for (const { id } of mine.slice(0, 699))
    inHand.hold({ task: { id } as never, abort() {}, handled: never, isHandled: () => false, done: never });
  await strays(api, inHand).giveBack("w1");
  assert.deepEqual(released, ["/tasks/t699/release"]);
});

test("a handler that says more at once than is kept is told how much was dropped", async () => {
  const told: string[] = [];
  const words = reports(async (said) => {
    told.push(...messagesOf(said));
    return true;
  });
  for (let line = 0; line < 12_000; line += 1) words.log("info", `${line}`, at);
  await words.flush();
  assert.equal(told.length, 10_001);
  assert.equal(
    told.find((message) => !/^\d+$/.test(message)),
    "2000 lines were dropped: there were too many at once",
  );
});
