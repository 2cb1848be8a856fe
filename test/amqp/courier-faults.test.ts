// A courier whose broker is well but for one queue, or one message: whatever else it carries must not suffer. On a node of
// its own, because its queues are stopped and its limits are small.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Connection } from "rabbitmq-client";
import type { Courier } from "../../src/ports/courier.ts";
import { topology } from "../../src/protocol/amqp/topology.ts";
import { systemClock } from "../../src/server/system.ts";
import { type ManualClock, manualClock } from "../../src/testing/manual-clock.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { type RabbitCourierOptions, rabbitCourier } from "../../src/transports/amqp/rabbit-courier.ts";
import { lookAtRabbit } from "../../src/transports/amqp/rabbit-look.ts";
import { type Rabbitmq, startRabbitmq } from "../../tools/rabbitmq.ts";
import { queueName, withRabbitmq } from "../fresh-broker.ts";

const clock = systemClock();
const couriers: Courier[] = [];
let broker: Rabbitmq;
let connection: Connection;

before(async () => {
  if (withRabbitmq.skip !== false) return;
  broker = await startRabbitmq({ settings: { max_message_size: 200_000 } });
  connection = new Connection(broker.url);
  connection.on("error", () => undefined);
});

after(async () => {
  if (withRabbitmq.skip !== false) return;
  for (const courier of couriers) await courier.stop();
  await connection.close();
  await broker.stop();
});

async function running(queues: readonly string[], options: Partial<RabbitCourierOptions> = {}): Promise<Courier> {
  const log = recordedLog();
  const courier = rabbitCourier({ ...{ url: broker.url, name: "courier test", queues, clock, log }, ...options });
  couriers.push(courier);
  await courier.start();
  await until("the broker is there", courier.isUp, 15_000);
  return courier;
}

/** Goes as the machine's does, and further when it is told to. */
function movedClock(): ManualClock {
  const moved = manualClock(clock.now());
  const start = { real: clock.now(), moved: moved.now() };
  let ahead = 0;
  const going = setInterval(() => {
    moved.advance(Math.max(0, clock.now() - start.real - (moved.now() - start.moved - ahead)));
  }, 10);
  after(() => clearInterval(going));
  return {
    ...moved,
    advance(ms) {
      ahead += ms;
      moved.advance(ms);
    },
  };
}

/** The queue takes what it is sent, and answers nobody until it goes on. */
async function halt(queue: string): Promise<void> {
  await command("suspend", queue);
}

async function goOn(queue: string): Promise<void> {
  await command("resume", queue);
}

async function command(what: "suspend" | "resume", queue: string): Promise<void> {
  const name = `rabbit_misc:r(<<"/">>, queue, <<"${queue}">>)`;
  await broker.ctl("eval", `{ok, Q} = rabbit_amqqueue:lookup(${name}), sys:${what}(amqqueue:get_pid(Q)).`);
}

test("a queue that does not answer keeps nobody from asking about the others", withRabbitmq, async () => {
  const [good, halted] = [queueName("good"), queueName("halted")];
  const courier = await running([good, halted], { answerWithinMs: 2_000 });
  await courier.publish(good, ["1"]);
  await halt(halted);
  const unanswered = courier.depth(halted);
  assert.equal(await courier.depth(good), 1);
  assert.equal(await unanswered, null);
  assert.equal(await courier.depth(good), 1);
  assert.equal(await courier.depth(halted), null);
  await goOn(halted);
  await until("it answers again", async () => (await courier.depth(halted)) === 0);
});

test("a queue that somebody else has is told of once, and used as soon as he lets go", withRabbitmq, async () => {
  const [good, locked] = [queueName("good"), queueName("locked")];
  const owner = new Connection(broker.url);
  after(() => owner.unsafeDestroy());
  await owner.queueDeclare({ queue: locked, exclusive: true });
  const look = await lookAtRabbit({ url: broker.url, topology: topology([locked]), clock, limitMs: 10_000 });
  assert.equal(look.reached && look.queues.get(locked), "locked");
  const [log, time] = [recordedLog(), movedClock()];
  const courier = await running([locked, good], { log, clock: time });
  assert.deepEqual(await courier.publish(good, ["1"]), [true]);
  assert.deepEqual(await courier.publish(locked, ["2"]), [false]);
  assert.deepEqual([await courier.depth(good), await courier.depth(locked)], [1, null]);
  const said = () => log.lines.filter(({ message }) => message.includes(locked));
  time.advance(60_000);
  assert.deepEqual(await courier.publish(locked, ["2"]), [false]);
  assert.deepEqual(
    said().map(({ level }) => level),
    ["error"],
  );
  await owner.close();
  await until("it is there", async () => {
    time.advance(30_000);
    return (await courier.publish(locked, ["3"]))[0] === true;
  });
  assert.equal(await courier.depth(locked), 1);
  assert.equal(said().at(-1)?.level, "info");
});

test("a queue that does not answer when a courier comes keeps it from no other", withRabbitmq, async () => {
  const [good, halted] = [queueName("good"), queueName("halted")];
  await running([good, halted]);
  await halt(halted);
  const [log, time] = [recordedLog(), movedClock()];
  const courier = await running([halted, good], { log, clock: time, answerWithinMs: 3_000 });
  assert.deepEqual(await courier.publish(good, ["1"]), [true]);
  assert.deepEqual(await courier.publish(halted, ["2"]), [false]);
  assert.match(log.lines.find(({ level }) => level === "error")?.message ?? "", new RegExp(halted));
  await goOn(halted);
  await until("it is there", async () => {
    time.advance(30_000);
    return (await courier.publish(halted, ["3"]))[0] === true;
  });
});

const tooLarge = JSON.stringify({ large: "x".repeat(250_000) });

test("a message that the broker does not take is set aside, and all others go through", withRabbitmq, async () => {
  const [large, small] = [queueName("large"), queueName("small")];
  const [log, time] = [recordedLog(), movedClock()];
  let [tries, told] = [0, 0];
  const published = (count: number) => {
    tries += count;
  };
  const courier = await running([large, small], { log, clock: time, metrics: { published, confirmed() {} } });
  courier.onUp(() => (told += 1));
  const many = Array.from({ length: 200 }, (_, index) => `${index}`);
  const sent = await Promise.all([
    courier.publish(large, ["1", tooLarge, "2"]),
    courier.publish(small, many),
    courier.publish(large, many),
  ]);
  assert.deepEqual(sent[0], [true, false, true]);
  assert.ok([...sent[1], ...sent[2]].every(Boolean));
  assert.equal(courier.isUp(), true);
  tries = 0;
  for (let round = 0; round < 3; round += 1) assert.deepEqual(await courier.publish(large, [tooLarge]), [false]);
  assert.equal(tries, 0);
  time.advance(60_000);
  assert.deepEqual(await courier.publish(large, [tooLarge, "3"]), [false, true]);
  assert.deepEqual(await courier.publish(large, [tooLarge]), [false]);
  assert.equal(tries, 2);
  const errors = log.lines.filter(({ level }) => level === "error");
  assert.deepEqual(
    errors.map(({ fields }) => [fields["queue"], fields["bytes"]]),
    [[large, tooLarge.length]],
  );
  assert.deepEqual([told, log.lines.filter(({ level }) => level === "warn").length], [0, 0]);
});

test("a broker that lets us send nothing is asked seldom, and told of once", withRabbitmq, async () => {
  const queue = queueName("unwritable");
  await connection.queueDeclare({ queue, durable: true });
  const rights = `rabbit_auth_backend_internal:set_permissions(<<"reader">>, <<"/">>, <<".*">>, <<"^$">>, <<".*">>, A)`;
  const making = `rabbit_auth_backend_internal:add_user(<<"reader">>, <<"reader">>, A)`;
  await broker.ctl("eval", `A = <<"test">>, ${making}, ${rights}.`);
  const url = Object.assign(new URL(broker.url), { username: "reader", password: "reader" }).href;
  const log = recordedLog();
  const courier = await running([queue], { url, log });
  const many = Array.from({ length: 100 }, (_, index) => `${index}`);
  for (let round = 0; round < 2; round += 1) assert.ok((await courier.publish(queue, many)).every((sent) => !sent));
  assert.equal(courier.isUp(), true);
  const said = log.lines.filter(({ message }) => message.startsWith("RabbitMQ is used without"));
  assert.equal(said.length, 1);
  assert.match(`${said[0]?.fields["error"]}`, /write access|refused/);
});
