import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { until } from "../../../testing/until.ts";
import type { BrokerLink } from "../../amqp/broker-link.ts";
import type { Delivery, Verdict } from "../../amqp/consuming.ts";
import { ServerProblem, ServerUnreachable } from "../../problem.ts";
import type { RestReply } from "../../rest-api.ts";
import type { Attempt } from "../attempt.ts";
import type { ClaimedTask } from "../claimed-task.ts";
import { hands } from "../hands.ts";
import { orders } from "./orders.ts";
import { type AckMode, type TaskLoopParts, taskLoop } from "./task-loop.ts";

const idOf = (n: number): string => `01993d6c-7a10-7000-8000-${String(n).padStart(12, "0")}`;

/** A loop whose broker and server are in the test's hands. Tasks 1 to 9 can be claimed, 10 to 19 wait for others. */
function aLoop({
  ackMode = "afterClaim",
  isSerial = false,
  isPaused = false,
  onClaim = () => {},
}: {
  readonly ackMode?: AckMode;
  readonly isSerial?: boolean;
  readonly isPaused?: boolean;
  readonly onClaim?: (end: () => void) => void;
} = {}) {
  const did: string[] = [];
  const [ending, drained] = [new AbortController(), new AbortController()];
  const told = orders();
  if (isPaused) told.heed({ type: "pause", until: null });
  const inHand = hands(2);
  const consumed: { prefetch(): number; deliver(delivery: Delivery): Promise<Verdict> }[] = [];
  const broker = {
    consume(_queue: string, prefetch: () => number, deliver: (delivery: Delivery) => Promise<Verdict>) {
      consumed.push({ prefetch, deliver });
      did.push(`consume ${prefetch()}`);
      let isPaused = false;
      return {
        async pause() {
          isPaused = true;
          did.push("pause");
        },
        resume() {
          if (isPaused) did.push(`resume ${prefetch()}`);
          isPaused = false;
        },
      };
    },
    publish: async (_queue: string, body: string) => void did.push(`publish ${nth(JSON.parse(body).job_id)}`),
  } as unknown as BrokerLink;
  const server = {
    saysWhatWaits: true,
    answers(): object {
      throw new ServerProblem({ type: "task-not-found", title: "", status: 404 });
    },
  };
  const taskOf = (id: string) => ({ id, status: "running", attempt: 1 }) as ClaimedTask;

  async function request(method: string, path: string, { body }: { readonly body?: unknown } = {}) {
    const ids = (body as { readonly task_ids?: readonly string[] } | undefined)?.task_ids ?? [];
    did.push(`${method} ${ids.length > 0 ? ids.map(nth).join(" ") : nth(path)}`);
    if (method === "GET") return { body: server.answers() } as RestReply<never>;
    const tasks = ids.filter((id) => nth(id) < 10).map(taskOf);
    if (tasks.length > 0) onClaim(() => ending.abort());
    const waiting = ids.filter((id) => nth(id) >= 10 && nth(id) < 20);
    return { body: { tasks, ...(server.saysWhatWaits && { waiting }) } } as RestReply<never>;
  }

  const parts: TaskLoopParts = {
    ...{ api: { request }, hands: inHand, broker, queue: "jobs", ackMode, orders: told, prefetch: 3, isSerial },
    ...{ strays: { giveBack: async () => {}, look: async () => {} }, worker: () => "w", signal: ending.signal },
    ...{ goingBack: new Set(), drained: drained.signal, log: { debug() {}, info() {}, warn() {}, error() {} } },
    take(task) {
      did.push(`take ${nth(task.id)}`);
      const never = new Promise<never>(() => undefined);
      const taken: Attempt = { task, abort() {}, handled: never, isHandled: () => false, done: never };
      inHand.hold(taken);
      return taken;
    },
    ...{ hold() {}, onGone: async () => {}, adopt: async () => false },
  };
  const over = taskLoop(parts);
  const say = (n: number): Promise<Verdict> => {
    const body = JSON.stringify({ job_id: idOf(n) });
    const verdict = consumed[0]?.deliver({ body, headers: {}, isRepeated: false, isLost: () => false });
    return (verdict as Promise<Verdict>).then((word) => {
      did.push(`${word} ${n}`);
      return word;
    });
  };
  async function stop(): Promise<void> {
    ending.abort();
    drained.abort();
    await over;
  }
  return { did, say, stop, told, inHand, server };
}

const nth = (text: string): number => Number(text.slice(-12));

test("a message is done with before the handler of its task begins, which may block the program", async () => {
  const { did, say, stop } = aLoop();
  assert.equal(await say(1), "ack");
  await say(20);
  assert.deepEqual(did.slice(0, 4), ["consume 5", "POST 1", "ack 1", "take 1"]);
  await stop();
});

test("the copy of a message whose task is in hand is done with", async () => {
  const { did, say, stop, server } = aLoop();
  await say(1);
  server.answers = () => ({ status: "running" });
  assert.equal(await say(1), "ack");
  assert.deepEqual(did.slice(4), ["GET 1", "ack 1"]);
  await stop();
});

test("the message of a task that came back while its handler goes on here is for others", async () => {
  const { did, say, stop, server } = aLoop();
  await say(1);
  server.answers = () => ({ status: "pending", run_at: null, job_name: "@global:operations:rotate" });
  assert.equal(await say(1), "ack");
  assert.deepEqual(did.slice(4), ["GET 1", "publish 1", "ack 1"]);
  await stop();
});

test("a message whose task is in hand is judged though the server was away when it came", async () => {
  const { did, say, stop, server } = aLoop();
  await say(1);
  server.answers = () => {
    server.answers = () => ({ status: "running" });
    throw new ServerUnreachable("restarting");
  };
  assert.equal(await say(1), "ack");
  assert.deepEqual(did.slice(4), ["GET 1", "GET 1", "ack 1"]);
  await stop();
});

test("the message of a task that waits for others goes on, though this worker may not see it", async () => {
  const { did, say, stop } = aLoop();
  assert.equal(await say(10), "ack");
  assert.deepEqual(did.slice(1), ["POST 10", "GET 10", "publish 10", "ack 10"]);
  await stop();
});

test("where a server cannot say what waits, the message of a task that this worker may not see goes on", async () => {
  const { did, say, stop, server } = aLoop();
  server.saysWhatWaits = false;
  assert.equal(await say(20), "ack");
  assert.deepEqual(did.slice(1), ["POST 20", "GET 20", "publish 20", "ack 20"]);
  await stop();
});

test("the message of a task that nobody waits for is done with at once", async () => {
  const { did, say, stop } = aLoop();
  assert.equal(await say(20), "ack");
  assert.deepEqual(did.slice(1), ["POST 20", "ack 20"]);
  await stop();
});

test("a worker that is given more hands is given more messages", async () => {
  const { did, say, stop, told, inHand } = aLoop();
  await say(20);
  inHand.setConcurrency(7);
  told.heed({ type: "concurrency", until: null });
  await say(20);
  assert.deepEqual(
    did.filter((what) => /pause|resume|consume/.test(what)),
    ["consume 5", "pause", "resume 10"],
  );
  await stop();
});

test("a serial queue is kept from the claim of its task to the end of its handler", async () => {
  const { did, say, stop } = aLoop({ isSerial: true, onClaim: (end) => setImmediate(end) });
  assert.equal(await say(1), "ack");
  await until("the handler begins", () => did.includes("take 1"));
  await turn();
  assert.deepEqual(did, ["consume 5", "POST 1", "ack 1", "take 1"]);
  await stop();
});

test("a consumer that was paused before it begins takes nothing until it is resumed, of a serial queue too", async () => {
  for (const isSerial of [false, true]) {
    const { did, told, stop } = aLoop({ isSerial, isPaused: true });
    await until("it lets the queue go", () => did.includes("pause"));
    told.heed({ type: "resume", until: null });
    await until("it takes it again", () => did.some((each) => each.startsWith("resume")));
    await stop();
  }
});
