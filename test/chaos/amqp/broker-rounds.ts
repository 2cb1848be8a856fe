// The broker goes, in the midst of work, and comes back. Meanwhile tasks are submitted, and the server and some consumers
// are started although there is no broker.

import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../src/testing/until.ts";
import type { Consumer } from "./consumers.ts";
import type { Expected } from "./load.ts";
import type { Stage } from "./stage.ts";
import type { FaultName, Tally } from "./tally.ts";
import { queues } from "./words.ts";

const drainMs = 60_000;
const missMs = 20_000;
const [secondsMs, minuteMs] = [3_000, 60_000];

export async function brokerRound(stage: Stage, tally: Tally): Promise<void> {
  const { broker, load, chance } = stage;
  const isKill = tally.lacks("broker killed") >= tally.lacks("broker restarted in good order");
  const isLong = tally.lacks("broker down for a minute") > 0;
  const first = await load.burst({ tasks: 30, coordinators: 3, parts: 12 });
  // Not a wait for anything: the moment is drawn.
  await pause(chance.between(0, 150));
  await (isKill ? broker.kill() : broker.down());
  const gone = performance.now();
  const wasBusy = await anyOpen(stage, first);
  const [second] = await Promise.all([load.burst({ tasks: 10, coordinators: 1 }), startWithout(stage, tally)]);
  // A minute that would not count is not spent.
  const awayMs = wasBusy && isLong ? minuteMs : secondsMs;
  await pause(Math.max(0, awayMs - (performance.now() - gone)));
  await broker.up();
  await load.drained([...first, ...second], drainMs);
  const names: readonly FaultName[] = [
    isKill ? "broker killed" : "broker restarted in good order",
    "broker down for seconds",
    ...(isLong ? (["broker down for a minute"] as const) : []),
  ];
  for (const name of names) {
    if (wasBusy) tally.hit(name);
    else tally.missed(name);
  }
}

async function anyOpen({ ask }: Stage, tasks: readonly Expected[]): Promise<boolean> {
  const replies = await Promise.all(tasks.map(({ id }) => ask("GET", `/tasks/${id}`)));
  return replies.some(({ body }) => body.status === "pending" || body.status === "running");
}

/** The server, and a consumer of each kind, begin while there is no broker. */
async function startWithout({ server, of, chance }: Stage, tally: Tally): Promise<void> {
  const anew = [queues.jobs, queues.batch, queues.write].map((queue) => chance.oneOf(of(queue)) as Consumer);
  await server.kill();
  const before = server.log().length;
  await Promise.all([server.start(), ...anew.map(startMissing)]);
  await until(
    "the server misses the broker",
    () => server.log().slice(before).includes("RabbitMQ cannot be used"),
    missMs,
  );
  tally.hit("broker down when the server started");
  await Promise.all(anew.map(missesBroker));
  tally.hit("broker down when a consumer started");

  async function startMissing(consumer: Consumer): Promise<void> {
    await consumer.kill();
    consumer.start();
  }
}

/** By what the process says that was started without it: the one before it missed the broker too. */
async function missesBroker(consumer: Consumer): Promise<void> {
  await consumer.ready();
  const { name } = consumer.orders;
  await until(`${name} misses the broker`, () => consumer.lastErr().includes("the broker has gone"), missMs);
}
