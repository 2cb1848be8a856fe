// Consumers whose queue or broker goes away, or that are to take nothing, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../src/testing/until.ts";
import { consumerScene, rotate } from "./consumer-scene.ts";
import { amqpUrl as brokerUrl, skip } from "./scene.ts";

test("a consumer goes on when its queue is deleted under it", { skip }, async () => {
  const { broker, queue, submit, is, consumer } = await consumerScene();
  await consumer(rotate);
  const [before, later] = [await submit({ angle: 1 }), await submit({ angle: 2 })];
  await broker.tell(queue, before);
  await is(before, "completed");
  await broker.forget(queue);
  await until(
    "it has declared it again",
    () =>
      broker.depth(queue).then(
        () => true,
        () => false,
      ),
    15_000,
  );
  await broker.tell(queue, later);
  await is(later, "completed");
});

test("a broker that is away at the start is waited for, and a worker that waits can be stopped", { skip }, async () => {
  const { consumer } = await consumerScene();
  const { worker, running, log } = await consumer(rotate, { amqpUrl: "amqp://guest:guest@127.0.0.1:1" });
  await until("it says so", () => log.lines.some(({ message }) => message.includes("the broker has gone")));
  await worker.stop();
  await running();
});

test("a worker that the broker does not let in says what the broker says", { skip }, async () => {
  const { consumer } = await consumerScene();
  const url = new URL(brokerUrl);
  url.password = "wrong";
  const { worker, running, log } = await consumer(rotate, { amqpUrl: url.href });
  const why = () => log.lines.find(({ message }) => message.includes("the broker has gone"))?.fields["why"];
  await until("it says so", () => why() !== undefined);
  assert.match(String(why()), /^ACCESS_REFUSED - Login was refused/);
  await worker.stop();
  await running();
});

test("a worker that is paused leaves messages to others, and takes them when it is resumed", { skip }, async () => {
  const { server, broker, queue, submit, is, status, consumer } = await consumerScene();
  const { ids } = await consumer(rotate);
  await server.admin.post(`/workers/${ids[0]}/pause`, {});
  const id = await submit({ angle: 1 });
  await broker.tell(queue, id);
  await until("it is back in its queue", async () => (await broker.depth(queue)) === 1, 10_000);
  assert.equal(await status(id), "pending");
  await server.admin.post(`/workers/${ids[0]}/resume`, {});
  await is(id, "completed");
});

test("a worker whose broker cannot be used at all says so, and leaves nothing behind", { skip }, async () => {
  const { server, consumer } = await consumerScene();
  const { running, ids } = await consumer(rotate, { amqpUrl: "amqp://me:%zz@127.0.0.1:1" });
  await assert.rejects(running(), /malformed/);
  const { body } = await server.admin.get(`/workers/${ids[0]}`);
  assert.equal(body.state, "DELETED", "it has said goodbye");
  const { running: ended } = await consumer(rotate, { amqpUrl: "http://127.0.0.1:1" }).catch((error: unknown) => ({
    running: () => Promise.reject(error),
  }));
  await assert.rejects(ended(), /amqpUrl/);
});
