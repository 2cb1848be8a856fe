// What is told of tasks whose consumers hear of them by a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "rabbitmq-client";
import { until } from "../../src/testing/until.ts";
import { freePort } from "../../tools/free-port.ts";
import { amqpUrl, brokerScene, deadLetterSettings, skip } from "../amqp/scene.ts";
import { run } from "../leadhand-process.ts";
import { restScene } from "../rest/scene.ts";

async function aScene(more: Readonly<Record<string, string>> = {}) {
  const broker = brokerScene();
  const queue = await broker.queue();
  const { admin, url } = await restScene({
    ...{ "amqp-url": amqpUrl, "amqp-queues": JSON.stringify({ [queue]: "job" }) },
    "amqp-dead-letter": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER,
    "amqp-dead-letter-queue": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER_QUEUE,
    ...more,
  });
  const { body: worker } = await admin.post("/workers", { profile: "amqp" });
  await admin.put("/rooms/@global/jobs", { category: "operations", name: "load", worker_id: worker.id });
  const submit = async (): Promise<string> =>
    (await admin.post("/rooms/@global/tasks/@global:operations:load", { payload: {}, queue })).body.id;
  const explain = async (id: string) => (await admin.get(`/tasks/${id}/explain`)).body;
  const tells = async (id: string, cause: string, sentence: RegExp) => {
    // What the broker says may be a second old.
    const isSo = (said: { cause: string; sentence: string }) => said.cause === cause && sentence.test(said.sentence);
    await until(`it is ${cause}: ${sentence}`, async () => isSo(await explain(id)), 10_000);
    const said = await explain(id);
    return said.facts.message;
  };
  return { broker, queue, admin, url, submit, tells };
}

test("a task whose consumer rests, or is busy with others, is not said to have none", { skip }, async () => {
  const { queue, admin, submit, tells } = await aScene();
  const id = await submit();
  await tells(id, "no-consumer", /./);
  const { body: consumer } = await admin.post("/workers", { profile: "amqp", queues: [queue] });
  await tells(id, "broker-queue", /with 1 consumer that takes nothing at the moment; 1 message waits in it$/);
  await admin.delete(`/workers/${consumer.id}`);
  await tells(id, "no-consumer", /./);
});

test("a task whose queue nobody consumes says so, and how many messages wait", { skip }, async () => {
  const { queue, admin, url, submit, tells } = await aScene();
  const id = await submit();
  const message = await tells(
    id,
    "no-consumer",
    new RegExp(`^Nobody consumes queue '${queue}' .*; 1 message waits in it$`),
  );
  const expected = {
    told: true,
    broker_away_since: null,
    waiting: 1,
    waiting_max: 10_000,
    consumers: 0,
    republished: 0,
  };
  assert.deepEqual(message, expected);
  const { out } = await run(["explain", id], { LEADHAND_URL: url, LEADHAND_TOKEN: admin.token });
  assert.match(out, /^message +told, 1 of 10000 wait in its queue, 0 consumers$/m);
});

test("a task whose message a consumer has in hand says so, and one whose message waits", { skip }, async () => {
  const { queue, submit, tells } = await aScene();
  const connection = new Connection(amqpUrl);
  const never = new Promise<void>(() => {});
  const consumer = connection.createConsumer(
    { queue, queueOptions: { passive: true }, qos: { prefetchCount: 1 } },
    () => never,
  );
  try {
    const [first, second] = [await submit(), await submit()];
    await tells(second, "broker-queue", /with 1 consumer; 1 message waits in it$/);
    assert.equal((await tells(first, "broker-queue", /./)).told, true);
  } finally {
    connection.unsafeDestroy();
    await consumer.close().catch(() => {});
  }
});

test("a task for which there is no room in its queue says so", { skip }, async () => {
  const { queue, submit, tells } = await aScene({ "amqp-unconsumed-max": "2" });
  const ids = [await submit(), await submit(), await submit()];
  const sentence = new RegExp(`^Queue '${queue}' holds 2 messages, and no more than 2 may wait; it is told of later$`);
  assert.equal((await tells(ids[2] as string, "broker-full", sentence)).told, false);
});

test("a task whose message is gone, and which is told of no more, is left to a person", { skip }, async () => {
  const { broker, queue, submit, tells } = await aScene({ "republish-max": "0" });
  const id = await submit();
  await until("its message is there", async () => (await broker.depth(queue)) === 1);
  await broker.taken(queue);
  await tells(
    id,
    "message-lost",
    /^Its message was lost, or taken by nobody, however often .*; it is told of once an hour$/,
  );
});

test("a task of which nobody was told because the broker is away says since when", { skip }, async () => {
  const { submit, tells } = await aScene({ "amqp-url": `amqp://127.0.0.1:${await freePort()}` });
  const sentence = /^The message broker cannot be reached since 20\S+ \S+ UTC; nobody was told of it$/;
  const message = await tells(await submit(), "broker-away", sentence);
  assert.deepEqual([message.told, message.waiting, message.broker_away_since !== null], [false, null, true]);
});
