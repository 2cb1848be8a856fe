import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "rabbitmq-client";
import { topology } from "../../protocol/amqp/topology.ts";
import { realSurroundings, testBrokerUrl } from "../../testing/real-surroundings.ts";
import { publisher } from "./publisher.ts";

const url = testBrokerUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_AMQP_URL is not set";
const { ids } = realSurroundings();

test("messages to a queue that was deleted meanwhile are in it all the same, each once", { skip }, async () => {
  const connection = new Connection(url);
  const operator = await connection.acquire();
  const [queue, exchange, dead] = [`publisher.${ids.next()}`, `dlx.${ids.next()}`, `dead.${ids.next()}`];
  const { send, close } = publisher(connection, (name) => topology([name], { exchange, queue: dead }));
  await send(queue, "before");
  await operator.queueDelete({ queue });
  const sent = Array.from({ length: 20 }, (_, nth) => `${nth}`);
  await Promise.all(sent.map((body) => send(queue, body)));
  const found: string[] = [];
  for (let got = await operator.basicGet({ queue, noAck: true }); got !== undefined; ) {
    found.push(Buffer.from(got.body).toString());
    got = await operator.basicGet({ queue, noAck: true });
  }
  assert.deepEqual(found.toSorted(), sent.toSorted());
  for (const name of [queue, dead]) await operator.queueDelete({ queue: name });
  await operator.exchangeDelete({ exchange });
  await close();
  await operator.close();
  await connection.close();
});
