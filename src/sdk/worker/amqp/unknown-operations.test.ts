import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerProblem, ServerUnreachable } from "../../problem.ts";
import type { RestReply } from "../../rest-api.ts";
import type { SteadyApi } from "../../steady-api.ts";
import { unknownOperations } from "./unknown-operations.ts";

const workers = {
  me: { profile: "amqp", state: "ONLINE", queues: ["batch"] },
  newer: { profile: "amqp", state: "ONLINE", queues: ["batch"] },
  lost: { profile: "amqp", state: "OFFLINE", queues: ["batch"] },
  elsewhere: { profile: "amqp", state: "ONLINE", queues: ["write"] },
  anyTask: { profile: "rest", state: "ONLINE", queues: null },
} as const;

/** Asks as "me", of a server that names these workers for each operation, or refuses; by a token for these jobs. */
function asking(answer: readonly (keyof typeof workers)[] | Error, jobs: readonly string[] | null = null) {
  let nowMs = 0;
  const asked: string[] = [];
  const api = {
    async request(_method: string, path: string) {
      asked.push(path);
      if (path === "/me") return { body: { rooms: null, jobs } } as RestReply<unknown>;
      if (answer instanceof Error) throw answer;
      const worker = path.split("/workers/")[1] as keyof typeof workers | undefined;
      return { body: worker === undefined ? { workers: answer } : workers[worker] } as RestReply<unknown>;
    },
  } as SteadyApi;
  const isKnown = unknownOperations({
    api,
    log: { debug() {}, warn() {} },
    queue: "batch",
    worker: () => "me",
    now: () => nowMs,
  });
  return {
    asked,
    ask: (operation = "embed") => isKnown(operation, new AbortController().signal),
    pass: (ms: number) => (nowMs += ms),
  };
}

test("an operation is for another consumer of the queue that has it registered", async () => {
  const { ask, asked } = asking(["me", "newer"]);
  assert.equal(await ask(), true);
  assert.deepEqual(asked, ["/rooms/%40global/jobs/%40global%3Aoperations%3Aembed", "/workers/newer"]);
});

test("who consumes another queue, takes tasks alone or was lost never gets its messages", async () => {
  assert.equal(await asking(["me", "elsewhere", "anyTask", "lost"]).ask(), false);
});

for (const status of [404, 403, 422]) {
  test(`an operation that the server answers with ${status} has nobody`, async () => {
    assert.equal(await asking(new ServerProblem({ type: "no", title: "", status })).ask(), false);
  });
}

test("where its token hides an operation's job from a consumer, the operation is for others", async () => {
  const hidden = new ServerProblem({ type: "job-not-found", title: "", status: 404 });
  assert.equal(await asking(hidden, ["@global:operations:store"]).ask("embed"), true);
  assert.equal(await asking(hidden, ["@global:operations:*"]).ask("embed"), false);
});

test("an operation of a name that no path can hold has nobody", async () => {
  assert.equal(await asking(["newer"]).ask("\ud800"), false);
});

test("a server that cannot answer now says neither", async () => {
  const busy = new ServerProblem({ type: "overloaded", title: "", status: 503 });
  for (const error of [new ServerUnreachable("away"), busy]) {
    const { ask, asked } = asking(error);
    await assert.rejects(ask(), error);
    await assert.rejects(ask(), error);
    assert.equal(asked.length, 2, "what was not learnt is asked for again");
  }
});

test("however many messages of an operation come, the server is asked once in a second", async () => {
  const { ask, asked, pass } = asking([]);
  for (let n = 0; n < 5; n += 1) await ask();
  assert.equal(asked.length, 1);
  pass(1_000);
  await ask();
  assert.equal(asked.length, 2);
});
