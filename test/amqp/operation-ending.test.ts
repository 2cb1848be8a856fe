// What becomes of operations and tasks whose consumer is asked to end, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import { RetryLater, type Task } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { consumerScene, operation } from "./consumer-scene.ts";
import { operationScene, store, storing } from "./operation-scene.ts";
import { skip, type TakenMessage } from "./scene.ts";

test("operations that a consumer leaves at its end seem new to the next: nobody has died of them", {
  skip,
}, async () => {
  const { broker, queue, message, consumer } = await operationScene();
  const runs: unknown[] = [];
  const { worker } = await consumer(
    (hired) =>
      void hired.job(store, {}, ({ input }) => {
        runs.push(input);
        return new Promise<void>(() => undefined);
      }),
    { prefetch: 3 },
  );
  for (const n of [1, 2, 3, 4, 5]) await broker.send(queue, message(null, null, { n }));
  await until("one runs, three wait here, one in the queue", async () => {
    return runs.length === 1 && (await broker.depth(queue)) === 1;
  });
  await worker.stop({ drainMs: 100 });
  const left: TakenMessage[] = [];
  await until("all are in the queue again", async () => {
    left.push(...(await broker.taken(queue)));
    return left.length >= 5;
  });
  const numbers = left.map(({ text }) => JSON.parse(text).payload.n as number);
  assert.deepEqual(numbers.sort(), [1, 2, 3, 4, 5]);
  assert.deepEqual(
    left.map(({ headers, isRepeated }) => [headers["x-redelivery"], isRepeated]),
    left.map(() => [undefined, false]),
  );
  assert.equal(runs.length, 1);
});

test("an operation that outlives more consumers than it may outlive crashes is done by the next, and counted", {
  skip,
}, async () => {
  const { broker, queue, coordinator, message, is, consumer } = await operationScene();
  const parent = await coordinator(1);
  await broker.send(queue, message(parent, 0));
  process.env["LEADHAND_REDELIVERY_MAX"] = "2";
  try {
    for (let stop = 1; stop <= 3; stop += 1) {
      const begun: unknown[] = [];
      const { worker } = await consumer(
        (hired) =>
          void hired.job(store, {}, ({ input }) => {
            begun.push(input);
            return new Promise<void>(() => undefined);
          }),
      );
      await until(`it runs for the ${stop}. time`, () => begun.length === 1, 10_000);
      await worker.stop({ drainMs: 100 });
    }
    await consumer(storing([]));
    await is(parent, "completed");
  } finally {
    delete process.env["LEADHAND_REDELIVERY_MAX"];
  }
});

test("a handler that heeds its signal late gives its message back once", { skip }, async () => {
  const { broker, queue, message, consumer } = await operationScene();
  let isRunning = false;
  let end: ((why: Error) => void) | null = null;
  const { worker } = await consumer(
    (hired) =>
      void hired.job(store, {}, () => {
        isRunning = true;
        return new Promise<void>((_, reject) => (end = reject));
      }),
  );
  await broker.send(queue, message(null, null));
  await until("it runs", () => isRunning);
  // As soon as its message is back in the queue, and before the worker has said goodbye.
  worker.on("handedBack", () => setImmediate(() => end?.(new Error("late"))));
  await worker.stop({ drainMs: 100 });
  await until("it is in the queue again", async () => (await broker.depth(queue)) > 0, 10_000);
  assert.equal((await broker.taken(queue)).length, 1);
});

/** Ends when it is asked to, as it was told to. */
const heeding =
  (how: () => Error) =>
  ({ signal }: Pick<Task, "signal">): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(how())));

for (const [what, how, isHandedBack] of [
  ["gives up", () => new Error("no time"), true],
  ["asks to be tried later", () => new RetryLater(0), false],
] as const) {
  const said = isHandedBack ? "has had to go back" : "has not had to go back";

  test(`a task whose handler ${what} when the time is over ${said}`, { skip }, async () => {
    const { broker, queue, submit, is, consumer } = await consumerScene();
    const { worker } = await consumer((hired) => void hired.job(operation, {}, heeding(how)));
    const back: string[] = [];
    worker.on("handedBack", ({ id }) => void back.push(id));
    const id = await submit();
    await broker.tell(queue, id);
    await is(id, "running");
    await worker.stop({ drainMs: 50 });
    await is(id, "pending");
    assert.deepEqual(back, isHandedBack ? [id] : []);
  });

  test(`an operation whose handler ${what} when the time is over ${said}`, { skip }, async () => {
    const { broker, queue, message, consumer } = await operationScene();
    let isRunning = false;
    const { worker } = await consumer(
      (hired) =>
        void hired.job(store, {}, (task) => {
          isRunning = true;
          return heeding(how)(task);
        }),
    );
    const back: string[] = [];
    worker.on("handedBack", ({ id }) => void back.push(id));
    await broker.send(queue, message(null, null));
    await until("it runs", () => isRunning);
    await worker.stop({ drainMs: 50 });
    await until("it is in the queue again", async () => (await broker.depth(queue)) === 1, 10_000);
    assert.equal(back.length, isHandedBack ? 1 : 0);
  });
}
