// A server and its broker: what it says of it, and that it does not need it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "rabbitmq-client";
import { until } from "../../src/testing/until.ts";
import { freePort } from "../../tools/free-port.ts";
import { amqpUrl, queueName, withRabbitmq } from "../fresh-broker.ts";
import { run, serve, temporaryFolder } from "../leadhand-process.ts";
import { type RestScene, restScene } from "../rest/scene.ts";

async function isUp({ send, admin }: RestScene): Promise<string | undefined> {
  const { text } = await send("GET", "/metrics", { token: admin.token });
  return /^leadhand_amqp_up (\d)$/m.exec(text)?.[1];
}

function brokerSettings(): Record<string, string> {
  return {
    "amqp-url": amqpUrl as string,
    "amqp-queues": JSON.stringify({ [queueName("jobs")]: "job" }),
    "amqp-dead-letter": queueName("dlx"),
    "amqp-dead-letter-queue": queueName("dead"),
  };
}

test("a server finds its broker, and says so", withRabbitmq, async () => {
  const scene = await restScene(brokerSettings());
  await until("it is up", async () => (await isUp(scene)) === "1");
});

test("a server without a broker says nothing of one", async () => {
  assert.equal(await isUp(await restScene()), undefined);
});

test("a server whose broker is not there is ready all the same, says so once, and stops at once", async () => {
  const data = await temporaryFolder();
  const broker = `amqp://leadhand:hunter2@127.0.0.1:${await freePort()}`;
  const serving = await serve([], { LEADHAND_DATA: data, LEADHAND_AMQP_URL: broker, LEADHAND_LOG_FORMAT: "json" });
  const missed = () => serving.err().split("RabbitMQ cannot be used now").length - 1;
  await until("it is missed", () => missed() > 0);
  assert.equal((await fetch(`${serving.url}/health/ready`)).status, 200);
  assert.equal(await serving.stop(), 0);
  assert.equal(missed(), 1);
  assert.match(serving.err(), /"rabbitmq":"amqp:\/\/leadhand:\*\*\*@127\.0\.0\.1/);
  assert.ok(!serving.err().includes("hunter2"));
});

test("the settings are shown without the broker's password", async () => {
  const { out } = await run(["config"], { LEADHAND_AMQP_URL: "amqp://leadhand:hunter2@broker" });
  assert.match(out, /LEADHAND_AMQP_URL +amqp:\/\/leadhand:\*\*\*@broker/);
  assert.ok(!out.includes("hunter2"));
});

test(
  "doctor says whether the broker of the settings can be used, and what is among its dead letters, and makes nothing",
  withRabbitmq,
  async () => {
    const settings = brokerSettings();
    const jobs = Object.keys(JSON.parse(settings["amqp-queues"] as string))[0] as string;
    const environment = Object.fromEntries(
      Object.entries(settings).map(([flag, value]) => [`LEADHAND_${flag.toUpperCase().replaceAll("-", "_")}`, value]),
    );
    const nowhere = { LEADHAND_URL: `http://127.0.0.1:${await freePort()}`, LEADHAND_DATA: await temporaryFolder() };
    const closed = `amqp://leadhand:hunter2@127.0.0.1:${await freePort()}`;
    const doctor = (more: Record<string, string> = {}) => run(["doctor"], { ...nowhere, ...environment, ...more });
    assert.match(
      (await doctor({ LEADHAND_AMQP_URL: closed })).out,
      /^fail +rabbitmq +amqp:\/\/leadhand:\*\*\*@127.*REFUSED/m,
    );
    for (let time = 0; time < 2; time += 1)
      assert.match((await doctor()).out, /^ok +rabbitmq .* has 0 of 2 queues; the server will make 2 queues$/m);

    const scene = await restScene(settings);
    await until("it is up", async () => (await isUp(scene)) === "1");
    assert.match((await doctor()).out, /^ok +rabbitmq .* has 2 of 2 queues$/m);

    const dead = settings["amqp-dead-letter-queue"] as string;
    const connection = new Connection(amqpUrl as string);
    const sending = connection.createPublisher({ confirm: true });
    await sending.send({ routingKey: dead, durable: true }, "nobody can read this");
    await sending.close();
    await connection.close();
    assert.match((await doctor()).out, new RegExp(`^warn +rabbitmq +1 message in ${dead}, the dead letters$`, "m"));
    const { text } = await scene.send("GET", "/metrics", { token: scene.admin.token });
    const gauges = [`messages{queue="${jobs}"} 0`, `messages{queue="${dead}"} 1`, `consumers{queue="${dead}"} 0`];
    for (const line of gauges) assert.ok(text.includes(`leadhand_amqp_queue_${line}\n`), line);

    const other = { LEADHAND_AMQP_DEAD_LETTER: queueName("dlx") };
    assert.match((await doctor(other)).out, new RegExp(`^warn +rabbitmq +${jobs} was made with other arguments$`, "m"));
  },
);
