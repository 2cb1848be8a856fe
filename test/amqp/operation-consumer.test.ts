// Consumers of queues whose messages are operations without a job row: what the document says of them, with a real broker
// (LEADHAND_TEST_AMQP_URL) and a whole server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fail, RetryLater, type Task } from "../../src/sdk/index.ts";
import { elapsedMs, newKey } from "../../src/sdk/system.ts";
import { until } from "../../src/testing/until.ts";
import { operationScene, store, storing } from "./operation-scene.ts";
import { proxy } from "./proxy.ts";
import { skip } from "./scene.ts";

test("“executes it directly, without a Job row”, and its parent counts it", { skip }, async () => {
  const { server, broker, queue, coordinator, message, is, task, consumer, quiet } = await operationScene();
  const runs: unknown[] = [];
  await consumer(storing(runs), { concurrency: 4, prefetch: 8 });
  const parent = await coordinator(20);
  for (let index = 0; index < 20; index += 1) await broker.send(queue, message(parent, index, { index }));
  await is(parent, "completed");
  await quiet(queue);
  assert.equal(runs.length, 20);
  const { children } = await task(parent);
  assert.deepEqual([children.total, children.done, children.failed], [20, 20, 0]);
  const { body } = await server.admin.get(`/tasks/${parent}/children`);
  assert.equal(body.items.length, 0, "no message has a row of its own");
});

test("messages that come twice are counted once", { skip }, async () => {
  const { broker, queue, coordinator, message, is, task, consumer } = await operationScene();
  await consumer(storing([]));
  const parent = await coordinator(3);
  for (const index of [0, 0, 1, 1, 0]) await broker.send(queue, message(parent, index));
  await until("two are counted", async () => (await task(parent)).children.done === 2, 10_000);
  assert.equal((await task(parent)).status, "running");
  await broker.send(queue, message(parent, 2));
  await is(parent, "completed");
});

test("an operation that fails is counted as failed, and its message kept among the dead letters", {
  skip,
}, async () => {
  const { broker, queue, coordinator, message, is, task, told, consumer } = await operationScene();
  await broker.deadLetters();
  const { log } = await consumer((worker) =>
    worker.job(store, {}, () => {
      throw new Fail("The disk is full", { code: "disk-full" });
    }),
  );
  const parent = await coordinator(2);
  for (const index of [0, 1]) await broker.send(queue, message(parent, index));
  await is(parent, "failed");
  const { children, error_code } = await task(parent);
  assert.deepEqual([children.done, children.failed, error_code], [0, 2, "AllChildrenFailed"]);
  assert.deepEqual(children.errors, ["The disk is full"]);
  await until("both were told", async () => (await told(parent)).length === 2, 10_000);
  const failed = { event: "child.failed", level: "error", message: "The disk is full" };
  assert.deepEqual(await told(parent), [
    { ...failed, fields: { operation: "store", index: 0, code: "disk-full" } },
    { ...failed, fields: { operation: "store", index: 1, code: "disk-full" } },
  ]);
  const said = log.lines.filter(({ level }) => level === "warn").map(({ fields }) => fields);
  const about = { queue, operation: "store", parent, code: "disk-full", error: "The disk is full" };
  assert.deepEqual(said, [
    { ...about, index: 0 },
    { ...about, index: 1 },
  ]);
  const letters: string[] = [];
  await until("both messages are kept", async () => {
    letters.push(...(await broker.deadLetters()).filter((text) => text.includes(parent)));
    return letters.length === 2;
  });
});

test("an unknown operation fails on its parent, and the consumer goes on", { skip }, async () => {
  const { broker, queue, coordinator, message, is, task, told, consumer } = await operationScene();
  await consumer(storing([]));
  const parent = await coordinator(2);
  await broker.send(queue, message(parent, 0, {}, "nobody_has_this"));
  await broker.send(queue, message(parent, 1));
  await is(parent, "failed");
  const { children, error_code } = await task(parent);
  assert.deepEqual([children.done, children.failed, error_code], [1, 1, "PartialChildFailure"]);
  await until("it was told", async () => (await told(parent)).length === 1, 10_000);
  const [failed] = await told(parent);
  const about = { operation: "nobody_has_this", index: 0, code: "UnknownOperation" };
  assert.deepEqual([failed?.event, failed?.fields], ["child.failed", about]);
});

test("an operation that a newer consumer of the queue alone knows waits for that one", { skip }, async () => {
  const { broker, queue, coordinator, message, is, task, consumer } = await operationScene();
  const newer = Promise.withResolvers<void>();
  const runs: unknown[] = [];
  const older = await consumer(storing(runs));
  await consumer((worker) => worker.job("@global:operations:newer", {}, () => newer.promise), {
    concurrency: 1,
    prefetch: 0,
  });
  const parent = await coordinator(4);
  for (const index of [0, 1, 2]) await broker.send(queue, message(parent, index, {}, "newer"));
  await until("the older one has met some of them", () => older.endings.length > 0, 10_000);
  await broker.send(queue, message(parent, 3));
  await until("its own are done all the same", () => runs.length === 1, 10_000);
  newer.resolve();
  await is(parent, "completed");
  assert.equal((await task(parent)).children.failed, 0);
});

test("messages that cannot be read go to the dead letters; a parent that is no id counts as none", {
  skip,
}, async () => {
  const { broker, queue, consumer, quiet } = await operationScene();
  await broker.deadLetters();
  const runs: unknown[] = [];
  await consumer(storing(runs));
  const bad = ["}", '{"operation":"store"}', '{"payload":{}}', '{"operation":"store","payload":[]}'];
  for (const text of bad) await broker.send(queue, text);
  await broker.send(queue, { operation: "store", job_id: "not-a-uuid", payload: { it: "runs" } });
  await until("it ran all the same", () => runs.length === 1);
  await quiet(queue);
  const found: string[] = [];
  await until("all of them are there", async () => {
    found.push(...(await broker.deadLetters()));
    return bad.every((text) => found.includes(text));
  });
});

test("a batch worker hands on to a write worker, and the write is what counts", { skip }, async () => {
  const { server, broker, queue, coordinator, message, is, task, consumer } = await operationScene();
  const writes = await broker.queue();
  await consumer((worker) =>
    worker.job("@global:operations:batch", {}, ({ input, defer }: Task) =>
      defer({ messages: [{ queue: writes, operation: "store", payload: { of: input } }] }),
    ),
  );
  const parent = await coordinator(3);
  for (const index of [0, 1, 2]) await broker.send(queue, message(parent, index, { index }, "batch"));
  await until("all were handed on", async () => (await broker.depth(writes)) === 3, 10_000);
  assert.equal((await task(parent)).children.done, 0);
  const { items } = (await server.admin.get(`/tasks/${parent}/logs`)).body;
  assert.deepEqual(
    items.map(({ event, fields }: { event: string; fields: object }) => ({ event, fields })),
    [{ event: "child.handed_on", fields: { queue: writes } }],
    "the coordinator knows where its messages are, and was told once",
  );
  const [first] = await broker.taken(writes);
  assert.deepEqual(JSON.parse(first?.text ?? ""), {
    ...{ operation: "store", job_id: parent, index: 0, payload: { of: { index: 0 } } },
  });
  for (const index of [0, 1, 2]) await broker.send(writes, message(parent, index));
  await consumer(storing([]), { queue: writes });
  await is(parent, "completed");
});

test("once the parent is cancelled its batches skip their work", { skip }, async () => {
  const { server, broker, queue, coordinator, message, task, consumer, quiet } = await operationScene();
  const parent = await coordinator(2);
  await server.admin.post(`/tasks/${parent}/cancel`);
  const runs: unknown[] = [];
  await consumer(storing(runs));
  await broker.send(queue, message(parent, 0));
  await broker.send(queue, message(newKey(), 0));
  await broker.send(queue, message(null, null, { last: true }));
  await until("the one without a parent ran", () => runs.length === 1);
  await quiet(queue);
  assert.deepEqual(runs, [{ last: true }]);
  assert.equal((await task(parent)).status, "cancelled");
});

test("an operation that wants to be tried later gets its message again", { skip }, async () => {
  const { broker, queue, coordinator, message, is, consumer } = await operationScene();
  const tries: number[] = [];
  await consumer((worker) =>
    worker.job(store, {}, () => {
      tries.push(elapsedMs());
      if (tries.length < 3) throw new RetryLater(0);
    }),
  );
  const parent = await coordinator(1);
  await broker.send(queue, message(parent, 0));
  await is(parent, "completed");
  const [first = 0, second = 0, third = 0] = tries;
  assert.ok(second - first >= 990 && third - second >= 990, "not at once: it would be asked for ever");
  assert.equal(tries.length, 3);
});

test("out of memory five times is out of memory for good, and counted", { skip }, async () => {
  const { broker, queue, coordinator, message, is, told, consumer } = await operationScene();
  const { log } = await consumer((worker) =>
    worker.job(store, {}, () => {
      throw new Error("CUDA out of memory. Tried to allocate 2.00 GiB");
    }),
  );
  const parent = await coordinator(1);
  await broker.send(queue, message(parent, 0), { "x-oom-retry": 5 });
  await is(parent, "failed");
  assert.ok(log.lines.some(({ level, fields }) => level === "warn" && fields["parent"] === parent));
  await until("it was told", async () => (await told(parent)).length === 1, 10_000);
  assert.deepEqual(
    (await told(parent)).map(({ event, level }) => [event, level]),
    [["child.cuda_oom_dead_letter", "warn"]],
  );
});

test("a worker that has to end while a message waits for memory leaves it in the queue", { skip }, async () => {
  const { broker, queue, coordinator, message, task, consumer } = await operationScene();
  let tries = 0;
  const { worker } = await consumer((hired) =>
    hired.job(store, {}, () => {
      tries += 1;
      throw new Error("out of memory");
    }),
  );
  const parent = await coordinator(1);
  await broker.send(queue, message(parent, 0));
  await until("it was tried", () => tries === 1);
  await worker.stop({ drainMs: 5_000 });
  await until("it is in the queue again", async () => (await broker.depth(queue)) === 1, 10_000);
  assert.equal((await task(parent)).children.failed, 0);
});

test("a handler that does not end in time leaves its message to others", { skip }, async () => {
  const { broker, queue, coordinator, message, is, consumer } = await operationScene();
  let isRunning = false;
  const { worker } = await consumer((hired) =>
    hired.job(store, {}, () => {
      isRunning = true;
      return new Promise<void>(() => undefined);
    }),
  );
  const parent = await coordinator(1);
  await broker.send(queue, message(parent, 0));
  await until("it runs", () => isRunning);
  await worker.stop({ drainMs: 20 });
  await until("it is in the queue again", async () => (await broker.depth(queue)) === 1, 10_000);
  await consumer(storing([]));
  await is(parent, "completed");
});

test("queues that are there with other arguments are used as they are", { skip }, async () => {
  const { broker, consumer } = await operationScene();
  const [from, to] = [await broker.otherQueue(), await broker.otherQueue()];
  const onward = { queue: to, operation: "store", payload: {} };
  await consumer((worker) => worker.job(store, {}, ({ defer }: Task) => defer({ messages: [onward] })), {
    queue: from,
  });
  for (const index of [0, 1]) await broker.send(from, { operation: "store", index, payload: {} });
  await until("both were handed on", async () => (await broker.depth(to)) === 2, 10_000);
});

test("a count that is refused for a while costs time and no message", { skip }, async () => {
  const { server, broker, queue, coordinator, message, is, task, consumer, quiet } = await operationScene();
  await broker.deadLetters();
  let refused = 0;
  const isRefused = (path: string): number | false => {
    if (!path.endsWith("/count") || refused === 2) return false;
    refused += 1;
    return 403;
  };
  const url = await proxy(server.url, undefined, isRefused);
  await consumer(storing([]), { url });
  const parent = await coordinator(2);
  for (const index of [0, 1]) await broker.send(queue, message(parent, index));
  await is(parent, "completed");
  assert.equal((await task(parent)).children.done, 2);
  await quiet(queue);
  assert.deepEqual(await broker.deadLetters(), []);
});

test("a mark that the server cannot read takes its own message alone to the dead letters", { skip }, async () => {
  const { server, broker, queue, coordinator, message, task, consumer } = await operationScene();
  await broker.deadLetters();
  let refused = 0;
  const isRefused = (path: string): number | false => {
    if (!path.endsWith("/count") || refused > 0) return false;
    refused += 1;
    return 413;
  };
  const url = await proxy(server.url, undefined, isRefused);
  const { log } = await consumer(storing([]), { url });
  const parent = await coordinator(2);
  for (const index of [0, 1]) await broker.send(queue, message(parent, index));
  await until("the other is counted", async () => (await task(parent)).children.done === 1, 10_000);
  await until("one is there", async () => (await broker.deadLetters()).length === 1);
  assert.equal((await task(parent)).status, "running");
  assert.ok(log.lines.some(({ level, message: words }) => level === "warn" && words.includes("cannot read")));
});
