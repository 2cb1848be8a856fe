// Consumers of queues whose messages name tasks: what the document says of them, with a real broker (LEADHAND_TEST_AMQP_URL) and
// a whole server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RetryLater, RetryLaterError, type Worker } from "../../src/sdk/index.ts";
import { newKey } from "../../src/sdk/system.ts";
import { until } from "../../src/testing/until.ts";
import { consumerScene, operation, rotate } from "./consumer-scene.ts";
import { proxy } from "./proxy.ts";
import { skip } from "./scene.ts";

test("“Reads a job UUID from the queue and delegates to BaseWorker.handle_job()”, “with status transitions and a JobEvent audit log”", {
  skip,
}, async () => {
  const { broker, queue, submit, is, events, consumer, server } = await consumerScene();
  await consumer(rotate);
  const id = await submit({ angle: 90 });
  await broker.tell(queue, id);
  await is(id, "completed");
  assert.deepEqual((await server.admin.get(`/tasks/${id}`)).body.result, { turned: 90 });
  assert.deepEqual(await events(id), ["task.submitted", "task.assigned", "task.completed"]);
  await until("its message is done with", async () => (await broker.depth(queue)) === 0);
});

test("many jobs go through few requests, each exactly once, whatever comes twice", { skip }, async () => {
  const { broker, queue, submit, consumer, events } = await consumerScene();
  const { endings } = await consumer(rotate, { concurrency: 16, prefetch: 32 });
  const ids = await Promise.all(Array.from({ length: 100 }, (_, angle) => submit({ angle })));
  await broker.tell(queue, ...ids, ...ids);
  await until("all have ended", () => endings.length >= ids.length, 20_000);
  await until("no message is left", async () => (await broker.depth(queue)) === 0);
  assert.equal(endings.length, ids.length);
  for (const id of ids) assert.deepEqual(await events(id), ["task.submitted", "task.assigned", "task.completed"]);
});

test("a message whose job does not exist, is taken, or is cancelled is passed over silently", { skip }, async () => {
  const { broker, queue, submit, is, events, consumer, server } = await consumerScene();
  const cancelled = await submit();
  await server.admin.post(`/tasks/${cancelled}/cancel`);
  const { endings } = await consumer(rotate);
  const last = await submit({ angle: 1 });
  await broker.tell(queue, newKey(), cancelled, last);
  await is(last, "completed");
  await broker.tell(queue, last);
  await until("all are done with", async () => (await broker.depth(queue)) === 0);
  assert.equal(endings.length, 1);
  assert.deepEqual(await events(cancelled), ["task.submitted", "task.cancelled"]);
});

test("a message that cannot be read goes to the dead letters, and the consumer goes on", { skip }, async () => {
  const { broker, queue, submit, is, consumer } = await consumerScene();
  await broker.deadLetters();
  await consumer(rotate);
  const bad = ["not json", '{"job_id":7}', "{}", '{"job_id":"not-a-uuid"}'];
  for (const text of bad) await broker.send(queue, text);
  const id = await submit({ angle: 1 });
  await broker.tell(queue, id);
  await is(id, "completed");
  const found: string[] = [];
  await until("all of them are there", async () => {
    found.push(...(await broker.deadLetters()));
    return bad.every((text) => found.includes(text));
  });
});

test("“stores the error class name and message” of what the operation threw", { skip }, async () => {
  const { broker, queue, submit, is, consumer, server } = await consumerScene();
  class ProteinMissing extends Error {
    override readonly name = "ProteinMissing";
  }
  await consumer((worker) =>
    worker.job(operation, {}, () => {
      throw new ProteinMissing("P12345 is not there");
    }),
  );
  const id = await submit();
  await broker.tell(queue, id);
  await is(id, "failed");
  const { body } = await server.admin.get(`/tasks/${id}`);
  assert.deepEqual([body.error_code, body.error], ["ProteinMissing", "P12345 is not there"]);
});

test("an operation that nobody has registered fails as unknown, and is not stuck", { skip }, async () => {
  const { broker, queue, submit, is, consumer, server } = await consumerScene();
  await consumer(rotate);
  const id = await submit({}, {}, "@global:operations:nobody_has_this");
  await broker.tell(queue, id);
  await is(id, "failed");
  assert.equal((await server.admin.get(`/tasks/${id}`)).body.error_code, "UnknownOperation");
});

test("an operation that another worker has registered is left to that one", { skip }, async () => {
  const { broker, queue, submit, is, consumer } = await consumerScene();
  await consumer(() => undefined);
  await consumer(rotate);
  const ids = await Promise.all([1, 2, 3, 4].map((angle) => submit({ angle })));
  await broker.tell(queue, ...ids);
  for (const id of ids) await is(id, "completed");
});

test("tasks for others stand in nobody's way, however many there are", { skip }, async () => {
  const { broker, queue, submit, is, status, consumer, server } = await consumerScene();
  const { body: other } = await server.admin.post("/workers", {});
  const job = { category: "operations", name: "for_others", worker_id: other.id, schema: {} };
  await server.admin.put("/rooms/@global/jobs", job);
  const others: string[] = [];
  for (let n = 0; n < 12; n += 1) others.push(await submit({}, {}, "@global:operations:for_others"));
  const mine = await submit({ angle: 1 });
  await broker.tell(queue, ...others, mine);
  const { worker } = await consumer(rotate);
  await until("it is done", async () => (await status(mine)) === "completed", 5_000);
  for (const id of others) await is(id, "pending");
  await worker.stop();
  assert.deepEqual(
    (await broker.taken(queue)).map(({ text }) => JSON.parse(text).job_id).sort(),
    [...others].sort(),
    "none is missing, and none is there twice",
  );
});

test("whoever asks for no delay is tried again a second later, and then later each time", { skip }, async () => {
  const { broker, queue, submit, consumer, server } = await consumerScene();
  let tries = 0;
  await consumer((worker) =>
    worker.job(operation, {}, () => {
      tries += 1;
      throw new RetryLater();
    }),
  );
  const id = await submit();
  const waits: number[] = [];
  for (let time = 1; time <= 2; time += 1) {
    await broker.tell(queue, id);
    await until("it was tried", () => tries >= time, 10_000);
    await until("it has gone back", async () => (await delaysOf(server, id)).length >= time, 10_000);
    waits.push((await delaysOf(server, id))[time - 1] as number);
    await until("it is ready again", async () => (await server.admin.get(`/tasks/${id}`)).body.run_at === null, 10_000);
  }
  assert.deepEqual(
    waits.map((ms) => Math.round(ms / 100)),
    [10, 20],
  );
});

test("“the job is reset to QUEUED”, with a growing delay that the database keeps", { skip }, async () => {
  const { broker, queue, submit, is, consumer, server } = await consumerScene();
  let tries = 0;
  await consumer((worker) =>
    worker.job(operation, {}, () => {
      tries += 1;
      if (tries === 1) throw new RetryLater(0);
      throw new RetryLaterError("The GPU is taken", 60);
    }),
  );
  const id = await submit();
  await broker.tell(queue, id);
  await until("it has gone back", async () => (await delaysOf(server, id)).length === 1);
  assert.ok(((await delaysOf(server, id))[0] as number) > 0, "no task is tried again at once, and for ever");
  await is(id, "pending");
  await until("it is ready again", async () => (await server.admin.get(`/tasks/${id}`)).body.run_at === null, 10_000);
  await broker.tell(queue, id);
  await until("it waits for its time", async () => {
    const { status, run_at } = (await server.admin.get(`/tasks/${id}`)).body;
    return tries === 2 && status === "pending" && run_at !== null;
  });
  const { body } = await server.admin.get(`/tasks/${id}/events`);
  const released = body.items.filter(({ type }: { type: string }) => type === "task.released");
  assert.deepEqual(
    released.map(({ data }: { data: { reason: string } }) => data.reason),
    ["retry_later", "retry_later"],
  );
  const waits = Date.parse((await server.admin.get(`/tasks/${id}`)).body.run_at) - Date.parse(released[1].at);
  assert.ok(Math.abs(waits - 120_000) < 1_000, `${waits} ms: once before, so twice as long`);
});

test("“if a child job’s parent was cancelled between claim and execute, the child transitions to CANCELLED without running”", {
  skip,
}, async () => {
  const { broker, queue, submit, is, consumer, server } = await consumerScene();
  let runs = 0;
  const parent = await submit();
  const child = await submit({}, { parent_id: parent });
  const url = await proxy(server.url, async (path) => {
    if (path === "/v1/tasks/claim") await server.admin.post(`/tasks/${parent}/cancel`);
  });
  await consumer(
    (worker) =>
      worker.job(operation, {}, () => {
        runs += 1;
      }),
    { url },
  );
  await broker.tell(queue, child);
  await is(child, "cancelled");
  await until("its message is done with", async () => (await broker.depth(queue)) === 0);
  assert.equal(runs, 0);
});

test("with ackMode preAck a message whose claim was cut off is in its queue again when the worker has ended", {
  skip,
}, async () => {
  const { broker, queue, submit, consumer, server } = await consumerScene();
  let claims = 0;
  const isRefused = (path: string): number | false => {
    if (path !== "/v1/tasks/claim") return false;
    claims += 1;
    return 503;
  };
  const url = await proxy(server.url, undefined, isRefused);
  const { worker } = await consumer(rotate, { ackMode: "preAck", url });
  const id = await submit({ angle: 1 });
  await broker.tell(queue, id);
  await until("it was asked for", () => claims > 1);
  await worker.stop();
  assert.deepEqual(
    (await broker.taken(queue)).map(({ text }) => JSON.parse(text)),
    [{ job_id: id }],
  );
});

test("a message waits for no busy worker: it goes back to the queue, and another one has it", { skip }, async () => {
  const { broker, queue, submit, is, consumer } = await consumerScene();
  const ends: (() => void)[] = [];
  const busy = (worker: Worker): void =>
    void worker.job(operation, {}, () => new Promise<void>((resolve) => ends.push(resolve)));
  await consumer(busy);
  const [first, second] = [await submit(), await submit()];
  await broker.tell(queue, first, second);
  await is(first, "running");
  await until("the second is in the queue again", async () => (await broker.depth(queue)) === 1, 10_000);
  await consumer(busy);
  await is(second, "running");
  // A task runs by its record before its handler begins.
  await until("both handlers have begun", () => ends.length === 2);
  for (const end of ends) end();
  await is(first, "completed");
  await is(second, "completed");
});

test("an idle consumer stops when it is told to, and messages that come later stay", { skip }, async () => {
  const { broker, queue, submit, consumer, status } = await consumerScene();
  const { worker } = await consumer(rotate);
  await worker.stop();
  const id = await submit({ angle: 1 });
  await broker.tell(queue, id);
  assert.equal(await broker.depth(queue), 1);
  assert.equal(await status(id), "pending");
});

test("“rather than force-failing the in-flight job”, one that does not end within the grace goes back into its queue, and says why", {
  skip,
}, async () => {
  const { broker, queue, submit, is, consumer, server } = await consumerScene();
  const { worker } = await consumer((hired) => hired.job(operation, {}, () => new Promise<void>(() => undefined)));
  const handedBack: string[] = [];
  worker.on("handedBack", ({ id }) => void handedBack.push(id));
  const id = await submit();
  await broker.tell(queue, id);
  await is(id, "running");
  await worker.stop({ drainMs: 50 });
  assert.deepEqual(handedBack, [id]);
  await is(id, "pending");
  const { body } = await server.admin.get(`/tasks/${id}/events`);
  assert.equal(body.items.at(-1).type, "task.released");
  assert.equal(body.items.at(-1).data.reason, "shutdown");
});

test("the built-in ping answers", { skip }, async () => {
  const { broker, queue, submit, is, consumer, server } = await consumerScene();
  await consumer(() => undefined);
  const id = await submit({}, {}, "@global:operations:ping");
  await broker.tell(queue, id);
  await is(id, "completed");
  const { body } = await server.admin.get(`/tasks/${id}/logs`);
  assert.deepEqual(
    body.items.map(({ message }: { message: string }) => message),
    ["pong"],
  );
});

type Scene = Awaited<ReturnType<typeof consumerScene>>;

/** How long the task was to wait each time that it went back, by its history: whoever looks late sees the same. */
async function delaysOf({ admin }: Scene["server"], id: string): Promise<readonly number[]> {
  const { body } = await admin.get(`/tasks/${id}/events`);
  const released = body.items.filter(({ type }: { type: string }) => type === "task.released");
  return released.map(({ at, data }: { at: string; data: { runAt: number } }) => data.runAt - Date.parse(at));
}
