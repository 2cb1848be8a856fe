// Operations that the broker delivers again while they go on, with a real broker (LEADHAND_TEST_AMQP_URL): its connection
// breaks, as it does when an operation takes longer than the broker's `consumer_timeout`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { brokerProxy } from "./broker-proxy.ts";
import { operationScene, store } from "./operation-scene.ts";
import { skip } from "./scene.ts";

async function aScene() {
  const scene = await operationScene();
  const proxy = await brokerProxy();
  const runs: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const hired = await scene.consumer(
    (worker) =>
      worker.job(store, {}, ({ input }) => {
        const { n } = input as { n: number };
        runs.push(n);
        return new Promise<void>((resolve, reject) => ends.set(n, (error) => (error ? reject(error) : resolve())));
      }),
    { amqpUrl: proxy.url, concurrency: 10 },
  );
  const parent = await scene.coordinator(3);
  const send = (n: number) => scene.broker.send(scene.queue, scene.message(parent, n, { n }));
  /** What comes behind it runs, so the copy is here. */
  async function deliverAgain(next: number): Promise<void> {
    proxy.keepOut();
    // Until the broker has noticed, whatever comes is delivered to a consumer that is gone.
    await until("the broker has it back", async () => (await scene.broker.depth(scene.queue)) > 0, 20_000);
    proxy.letIn();
    await send(next);
    await until("what comes behind the copy runs", () => runs.includes(next), 20_000);
  }
  return { ...scene, ...hired, runs, ends, parent, send, deliverAgain };
}

test("an operation that is delivered again while it runs is done once, and nobody is taken for dead", {
  skip,
}, async () => {
  const { broker, queue, runs, ends, parent, send, deliverAgain, is, task, worker } = await aScene();
  await send(0);
  await until("it runs", () => runs.length === 1);
  await deliverAgain(1);
  // A copy of a copy is one too.
  await deliverAgain(2);
  assert.deepEqual(runs, [0, 1, 2]);
  for (const end of ends.values()) end();
  await is(parent, "completed");
  const { done, failed } = (await task(parent)).children;
  assert.deepEqual([done, failed], [3, 0]);
  await worker.stop();
  assert.deepEqual([runs, await broker.taken(queue)], [[0, 1, 2], []]);
});

test("one that fails then is among the dead letters once", { skip }, async () => {
  const { broker, runs, ends, parent, send, deliverAgain, is, worker } = await aScene();
  await broker.deadLetters();
  await send(0);
  await until("it runs", () => runs.length === 1);
  await deliverAgain(1);
  ends.get(0)?.(new Error("no"));
  ends.get(1)?.();
  await send(2);
  await until("the last runs", () => runs.includes(2));
  ends.get(2)?.();
  await is(parent, "failed");
  await worker.stop();
  const letters = (await broker.deadLetters()).filter((text) => text.includes(parent));
  assert.deepEqual([runs, letters.length], [[0, 1, 2], 1]);
});

test("one that is to go back at the end is there once, and any other consumer has it", { skip }, async () => {
  const { broker, queue, runs, send, deliverAgain, worker } = await aScene();
  await send(0);
  await until("it runs", () => runs.length === 1);
  await deliverAgain(1);
  await worker.stop({ drainMs: 20 });
  await until("both are back", async () => (await broker.depth(queue)) === 2, 10_000);
  const back = await broker.taken(queue);
  assert.deepEqual(back.map(({ text, headers }) => [JSON.parse(text).index, headers["x-redelivery"]]).sort(), [
    [0, undefined],
    [1, undefined],
  ]);
});
