// Tasks on their way to a real broker, from a server that is asked over HTTP.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { type Channel, Connection } from "rabbitmq-client";
import { cuttingProxy } from "../../src/testing/cutting-proxy.ts";
import { until } from "../../src/testing/until.ts";
import { amqpUrl, queueName, withRabbitmq } from "../fresh-broker.ts";
import { type Serving, serve, temporaryFolder } from "../leadhand-process.ts";
import { type RestScene, restScene } from "../rest/scene.ts";
import { the } from "../rest/workshop.ts";

const url = amqpUrl ?? "";
const deadLetters = { exchange: queueName("dlx"), queue: queueName("dead") };
const made: string[] = [deadLetters.queue];
let connection: Connection | null = null;
let channel: Promise<Channel> | null = null;

/** The broker as its operator sees it, past every server. */
async function broker(): Promise<Channel> {
  const known = channel;
  if ((await known)?.active === true) return known as Promise<Channel>;
  connection ??= new Connection(url);
  // Only the first who finds it closed makes another.
  if (channel === known) channel = connection.acquire();
  return channel as Promise<Channel>;
}

after(async () => {
  if (url === "") return;
  const cleaning = await broker();
  for (const queue of made) await cleaning.queueDelete(queue);
  await cleaning.exchangeDelete({ exchange: deadLetters.exchange });
  await cleaning.close();
  await connection?.close();
});

interface Brokered {
  readonly queue: string;
  readonly settings: Readonly<Record<string, string>>;
}

function brokered(through: string): Brokered {
  const queue = queueName("jobs");
  made.push(queue);
  return {
    queue,
    settings: {
      "amqp-url": through,
      "amqp-queues": JSON.stringify({ [queue]: "job" }),
      "amqp-dead-letter": deadLetters.exchange,
      "amqp-dead-letter-queue": deadLetters.queue,
    },
  };
}

/** Takes all that waits, as a consumer does that never fails. */
async function taken(queue: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    // A queue that is not there has nothing in it, and the channel that asked for it is closed.
    const message = await (await broker()).basicGet({ queue, noAck: true }).catch(() => undefined);
    if (message === undefined) return ids;
    ids.push((JSON.parse(`${message.body}`) as { job_id: string }).job_id);
  }
}

async function isUp({ send, admin }: RestScene): Promise<boolean> {
  return (await send("GET", "/metrics", { token: admin.token })).text.includes("leadhand_amqp_up 1");
}

const job = "@global:operations:work";

async function submitted({ admin }: Pick<RestScene, "admin">, queue: string, count: number): Promise<string[]> {
  const tasks = Array.from({ length: count }, () => ({ job, payload: {}, queue }));
  const { items } = the(202, await admin.post("/rooms/@global/tasks", { tasks }));
  return items.map(({ id }: { id: string }) => id);
}

async function comeToBe(queue: string, ids: readonly string[], limitMs?: number): Promise<void> {
  const seen = new Set<string>();
  const all = async (): Promise<boolean> => {
    for (const id of await taken(queue)) seen.add(id);
    return ids.every((id) => seen.has(id));
  };
  await until("every task is told of", all, limitMs);
}

describe("tasks on their way to RabbitMQ", { ...withRabbitmq, concurrency: true }, () => {
  it("tasks that were accepted are in their queue, once each, in their order; also in one that was deleted meanwhile", async () => {
    const { queue, settings } = brokered(url);
    const scene = await restScene(settings);
    await until("the broker is there", () => isUp(scene));
    const ids = await submitted(scene, queue, 300);
    const told: string[] = [];
    await until("all are there", async () => told.push(...(await taken(queue))) >= 0 && told.length >= 300);
    assert.deepEqual(told, ids);
    await (await broker()).queueDelete(queue);
    await comeToBe(queue, await submitted(scene, queue, 5));
    await scene.stop();
  });

  it("tasks that were accepted while the broker was away are told of when it is back", async () => {
    const proxy = await cuttingProxy(url);
    const { queue, settings } = brokered(proxy.url);
    const scene = await restScene(settings);
    await until("the broker is there", () => isUp(scene));
    proxy.close();
    await until("it is missed", async () => !(await isUp(scene)));
    const ids = await submitted(scene, queue, 20);
    proxy.open();
    await comeToBe(queue, ids, 20_000);
    await scene.stop();
    await proxy.stop();
  });

  it("what a server had no time to tell before it was killed, the next one tells", async () => {
    const proxy = await cuttingProxy(url);
    const { queue, settings } = brokered(proxy.url);
    const data = await temporaryFolder();
    const environment = { LEADHAND_DATA: data, ...Object.fromEntries(Object.entries(settings).map(variable)) };
    const first = await serve([], environment);
    const admin = await adminOf(first, data);
    await until("the broker is there", async () => (await admin.metrics()).includes("leadhand_amqp_up 1"));
    // From now on the server's messages arrive nowhere, and it does not notice.
    proxy.silence();
    const ids = await admin.submit(queue, 5);
    first.child.kill("SIGKILL");
    await first.ended;
    assert.deepEqual(await taken(queue), []);
    const second = await serve([], environment);
    await comeToBe(queue, ids, 25_000);
    assert.equal(await second.stop(), 0);
    await proxy.stop();
  });
});

function variable([flag, value]: [string, string]): [string, string] {
  return [`LEADHAND_${flag.toUpperCase().replaceAll("-", "_")}`, value];
}

async function adminOf(serving: Serving, data: string) {
  const token = (await readFile(join(data, "admin-token"), "utf8")).trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    metrics: async () => (await fetch(`${serving.url}/metrics`, { headers })).text(),
    async submit(queue: string, count: number): Promise<string[]> {
      const body = JSON.stringify({ tasks: Array.from({ length: count }, () => ({ job, payload: {}, queue })) });
      const answer = await fetch(`${serving.url}/v1/rooms/@global/tasks`, { method: "POST", headers, body });
      assert.equal(answer.status, 202);
      const { items } = (await answer.json()) as { items: { id: string }[] };
      return items.map(({ id }) => id);
    },
  };
}
