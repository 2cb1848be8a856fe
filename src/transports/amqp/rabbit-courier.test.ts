import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Channel, Connection } from "rabbitmq-client";
import type { Courier } from "../../ports/courier.ts";
import { isCorkable } from "../../protocol/amqp/together.ts";
import { courierContract } from "../../testing/courier-contract.ts";
import { type CuttingProxy, cuttingProxy } from "../../testing/cutting-proxy.ts";
import { realSurroundings, testBrokerUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { until } from "../../testing/until.ts";
import { rabbitCourier } from "./rabbit-courier.ts";

const url = testBrokerUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_AMQP_URL is not set";
const { clock, ids } = realSurroundings();
const deadLetters = { exchange: `dlx.${ids.next()}`, queue: `dead.${ids.next()}` };
const made: string[] = [deadLetters.queue];
const proxies = new Map<Courier, CuttingProxy>();
let channel: Channel | null = null;

let connection: Connection | null = null;

/** The broker as its operator sees it, past every courier. */
async function broker(): Promise<Channel> {
  if (channel?.active === true) return channel;
  connection ??= new Connection(url);
  channel = await connection.acquire();
  return channel;
}

after(async () => {
  if (url === "") return;
  const cleaning = await broker();
  for (const name of made) await cleaning.queueDelete(name);
  await cleaning.exchangeDelete({ exchange: deadLetters.exchange });
  await cleaning.close();
  await connection?.close();
  for (const proxy of proxies.values()) await proxy.stop();
});

function queue(): string {
  const name = `courier.${ids.next()}`;
  made.push(name);
  return name;
}

async function open(queues: readonly string[], log = recordedLog()): Promise<Courier> {
  const proxy = await cuttingProxy(url);
  const courier = rabbitCourier({ url: proxy.url, name: "courier test", queues, deadLetters, clock, log });
  proxies.set(courier, proxy);
  return courier;
}

async function taken(from: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const message = await (await broker()).basicGet({ queue: from, noAck: true });
    if (message === undefined) return bodies;
    bodies.push(`${message.body}`);
  }
}

courierContract("RabbitMQ courier", {
  ...{ open, queue, taken, skip },
  forget: async (name) => void (await (await broker()).queueDelete(name)),
  cut: (courier) => proxies.get(courier)?.close(),
  mend: (courier) => proxies.get(courier)?.open(),
});

test("messages are persistent JSON, in a durable queue whose dead letters are kept", { skip }, async () => {
  const name = queue();
  const courier = await open([name]);
  await courier.start();
  await until("the broker is there", courier.isUp);
  await courier.publish(name, ['{"a":1}']);
  const message = await (await broker()).basicGet(name);
  assert.ok(message);
  assert.deepEqual(
    [message.durable, message.contentType, message.contentEncoding],
    [true, "application/json", "utf-8"],
  );
  (await broker()).basicNack({ deliveryTag: message.deliveryTag, requeue: false });
  await until("it is among the dead letters", async () => (await taken(deadLetters.queue)).includes('{"a":1}'));
  await courier.stop();
});

test("an outage is logged once, however long it lasts, and so is its end, without a password", { skip }, async () => {
  const log = recordedLog();
  const name = queue();
  const courier = await open([name], log);
  await courier.start();
  await until("the broker is there", courier.isUp);
  const proxy = proxies.get(courier) as CuttingProxy;
  for (let round = 0; round < 2; round += 1) {
    proxy.close();
    await until("it is missed", () => !courier.isUp());
    await courier.publish(name, ["1"]);
    proxy.open();
    await until("it is there again", courier.isUp, 15_000);
  }
  await courier.stop();
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ["info", "warn", "info", "warn", "info"],
  );
  assert.ok(!JSON.stringify(log.lines).includes("guest:"));
});

test("a broker that is not there at the start is missed, and found when it comes", { skip }, async () => {
  const log = recordedLog();
  const name = queue();
  const courier = await open([name], log);
  const proxy = proxies.get(courier) as CuttingProxy;
  proxy.close();
  await courier.start();
  await until("it is missed", () => log.lines.some(({ level }) => level === "warn"));
  proxy.open();
  await until("it is there", courier.isUp, 15_000);
  assert.deepEqual(await courier.publish(name, ["1"]), [true]);
  await courier.stop();
});

test("a queue that is there with other arguments is used, and somebody is told", { skip }, async () => {
  const [name, other] = [queue(), queue()];
  await (await broker()).queueDeclare({ queue: name, durable: true });
  const log = recordedLog();
  const courier = await open([name, other], log);
  await courier.start();
  await until("the broker is there", courier.isUp);
  assert.deepEqual(await courier.publish(name, ["1"]), [true]);
  assert.deepEqual(await courier.publish(other, ["2"]), [true]);
  await courier.stop();
  const errors = log.lines.filter(({ level }) => level === "error");
  assert.equal(errors.length, 1);
  assert.match(errors[0]?.message ?? "", new RegExp(`queue ${name}; it was made with other arguments`));
});

test("a broker that says nothing any more is given up, and found again", { skip }, async () => {
  const name = queue();
  const proxy = await cuttingProxy(url);
  const log = recordedLog();
  const courier = rabbitCourier({
    ...{ url: proxy.url, name: "courier test", queues: [name], deadLetters, clock, log },
    // A broker that is well confirms within so long, however busy its machine is.
    confirmWithinMs: 2_000,
  });
  proxies.set(courier, proxy);
  await courier.start();
  await until("the broker is there", courier.isUp);
  proxy.silence();
  assert.deepEqual(await courier.publish(name, ["1"]), [false]);
  await until("it is there again", courier.isUp, 15_000);
  assert.deepEqual(await courier.publish(name, ["2"]), [true]);
  await courier.stop();
});

test("a password that the broker does not take is an outage like any other", { skip }, async () => {
  const log = recordedLog();
  const wrong = Object.assign(new URL(url), { password: "not-the-password" }).href;
  const courier = rabbitCourier({ url: wrong, name: "courier test", queues: [queue()], deadLetters, clock, log });
  await courier.start();
  await until("it is told", () => log.lines.some(({ level }) => level === "warn"), 15_000);
  assert.equal(courier.isUp(), false);
  assert.ok(!JSON.stringify(log.lines).includes("not-the-password"));
  await courier.stop();
});

test("the client library has a socket on which messages can be made to leave together", { skip }, async () => {
  await broker();
  const { _socket: socket } = connection as unknown as { readonly _socket?: unknown };
  assert.ok(isCorkable(socket));
});
