import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Connection } from "rabbitmq-client";
import { realSurroundings, testBrokerUrl } from "../../testing/real-surroundings.ts";
import { confirmedSender } from "./confirmed-sender.ts";

const url = testBrokerUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_AMQP_URL is not set";
const { clock, ids } = realSurroundings();

test("whoever sends to a queue that is not there is told so, each time", { skip }, async () => {
  const connection = new Connection(url);
  after(() => connection.unsafeDestroy());
  const sender = confirmedSender({ connection, clock, log: { debug() {} }, isUp: () => connection.ready });
  await connection.onConnect();
  const queue = `sender.${ids.next()}`;
  const send = (name: string): Promise<readonly (boolean | null)[]> =>
    Promise.all(Array.from({ length: 10 }, () => sender.send(name, {})));
  assert.deepEqual(await send(queue), Array(10).fill(false));
  await connection.queueDeclare({ queue, exclusive: true });
  assert.deepEqual(await send(queue), Array(10).fill(true));
  await sender.close();
});
