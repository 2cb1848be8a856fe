// Messages of a queue through breaks of the connection, with a real broker (LEADHAND_TEST_AMQP_URL).

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { brokerLink } from "../../src/sdk/amqp/broker-link.ts";
import type { Verdict } from "../../src/sdk/amqp/consuming.ts";
import { brokerWhereabouts } from "../../src/sdk/environment.ts";
import { messageLine } from "../../src/sdk/worker/amqp/message-line.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { brokerProxy } from "./broker-proxy.ts";
import { brokerScene, skip } from "./scene.ts";

const broker = skip ? null : brokerScene();

async function aScene() {
  if (broker === null) throw new Error(String(skip));
  const [proxy, queue] = [await brokerProxy(), await broker.queue()];
  const log = recordedLog();
  const { deadLetters } = brokerWhereabouts();
  const link = await brokerLink({ url: proxy.url, log, name: "test", deadLetters, reconnectMs: 50 });
  after(() => link.close());
  return { broker, proxy, queue, link, log };
}

test("messages come again after a connection that broke while they were paused", { skip }, async () => {
  const { broker, proxy, queue, link } = await aScene();
  const came: string[] = [];
  const messages = link.consume(
    queue,
    () => 1,
    async ({ body }) => {
      came.push(String(body));
      return "ack";
    },
  );
  await broker.send(queue, "first");
  await until("one came", () => came.length === 1);
  proxy.silence();
  void messages.pause();
  await until("the broker does not hear of it", () => proxy.swallowed() > 0);
  proxy.cut();
  messages.resume();
  await broker.send(queue, "second");
  await until("the other came", () => came.includes("second"), 10_000);
});

test("whoever does not end keeps no messages away once the connection broke, and its own comes again", {
  skip,
}, async () => {
  const { broker, proxy, queue, link, log } = await aScene();
  const came: { readonly body: string; readonly isRepeated: boolean }[] = [];
  const ends: (() => void)[] = [];
  link.consume(
    queue,
    () => 4,
    ({ body, isRepeated }) => {
      came.push({ body: String(body), isRepeated });
      if (came.length > 1) return Promise.resolve("ack");
      return new Promise<Verdict>((resolve) => ends.push(() => resolve("ack")));
    },
  );
  await broker.send(queue, "long");
  await until("it came", () => came.length === 1);
  proxy.cut();
  await broker.send(queue, "short");
  await until("both came", () => came.length === 3, 10_000);
  assert.deepEqual(
    came
      .slice(1)
      .map(({ body }) => body)
      .sort(),
    ["long", "short"],
  );
  assert.ok(came.some(({ body, isRepeated }) => body === "long" && isRepeated));
  const said = log.lines.length;
  for (const end of ends) end();
  await until("none is left", async () => (await broker.depth(queue)) === 0);
  assert.equal(log.lines.length, said, "the late verdict is nobody's business");
});

test("a message that goes back does not come here again, and nobody is told that the broker has gone", {
  skip,
}, async () => {
  const { broker, queue, link, log } = await aScene();
  let came = 0;
  let heldUp = 0;
  const line = messageLine({
    holdMs: 100,
    onHeldUp() {
      heldUp += 1;
      void messages.pause();
    },
    onStranded: () => undefined,
  });
  const messages = link.consume(
    queue,
    () => 1,
    () => {
      came += 1;
      return line.wait("task");
    },
  );
  await broker.send(queue, "waits");
  await until("it has waited for too long", () => heldUp > 0);
  await until("it is in the queue again", async () => (await broker.depth(queue)) === 1);
  await link.close();
  assert.deepEqual([came, log.lines], [1, []]);
});
