// The broker goes, in the midst of work, and comes back. Meanwhile tasks are submitted, and the server and some consumers
// are started although there is no broker.

import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../../src/testing/until.ts";
import type { Consumer } from "./consumers.ts";
import type { Expected } from "./load.ts";
import type { Stage } from "./stage.ts";
import type { Tally } from "./tally.ts";
import { queues } from "./words.ts";

const drainMs = 60_000;
const whileMs = 3_000;

export interface BrokerRound {
  readonly how: "down" | "kill";
  /** At least so long. */
  readonly awayMs: number;
}

export async function brokerRound(stage: Stage, tally: Tally, { how, awayMs }: BrokerRound): Promise<void> {
  const { broker, load, chance } = stage;
  const first = await load.burst({ tasks: 30, coordinators: 3, parts: 12 });
  // Not a wait for anything: the moment is drawn.
  await pause(chance.between(0, 150));
  await broker[how]();
  const gone = performance.now();
  const wasBusy = await anyOpen(stage, first);
  const [second] = await Promise.all([load.burst({ tasks: 10, coordinators: 1 }), startWithout(stage, tally)]);
  await pause(Math.max(0, awayMs - (performance.now() - gone)));
  await broker.up();
  const awayForMs = performance.now() - gone;
  await load.drained([...first, ...second], drainMs);
  const name = how === "kill" ? "broker killed" : "broker restarted in good order";
  if (!wasBusy) return tally.missed(name);
  tally.hit("broker went");
  tally.hit(name);
  if (awayForMs >= 60_000) tally.hit("broker down for a minute");
  else if (awayForMs >= whileMs) tally.hit("broker down for seconds");
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
  await Promise.all([
    server.start(),
    ...anew.map(async (consumer) => {
      await consumer.kill();
      consumer.start();
    }),
  ]);
  await until(
    "the server misses the broker",
    () => server.log().slice(before).includes("RabbitMQ cannot be used"),
    20_000,
  );
  tally.hit("broker down when the server started");
  await Promise.all(anew.map((consumer) => consumer.ready()));
  await until(
    "a consumer misses the broker",
    () => anew.some(({ err }) => err().includes("the broker has gone")),
    20_000,
  );
  tally.hit("broker down when a consumer started");
}
