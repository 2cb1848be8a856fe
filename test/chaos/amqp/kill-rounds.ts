// Consumers are killed at four moments of one delivery, and the server between its commit and its message.

import { setTimeout as pause } from "node:timers/promises";
import type { Consumer } from "./consumers.ts";
import type { Exchange } from "./request-gate.ts";
import type { Stage } from "./stage.ts";
import type { FaultName, Tally } from "./tally.ts";
import type { Trap } from "./traps.ts";
import { queues } from "./words.ts";

const drainMs = 60_000;
const springMs = 10_000;

export const killFaults = [
  "consumer killed before claim",
  "consumer killed after claim",
  "consumer killed after execute",
  "consumer killed before ack",
  "server killed between commit and publish",
] as const satisfies readonly FaultName[];

interface Plan {
  readonly name: FaultName;
  readonly consumer: Consumer;
  readonly trap: Trap;
}

export async function killRound(stage: Stage, tally: Tally): Promise<void> {
  const { load } = stage;
  const plans = drawnPlans(stage);
  const burst = load.burst({ tasks: 40, coordinators: 4, parts: 15 });
  await Promise.all(plans.map((plan) => carryOut(plan, tally)));
  const killed = await burst;
  const unpublished = await killServer(stage, tally);
  await load.drained([...killed, ...unpublished], drainMs);
}

/** Each of the four moments, each for another consumer. */
function drawnPlans({ of, chance }: Stage): readonly Plan[] {
  const [early = null, middle = null, last = null] = shuffled(of(queues.jobs), () => chance.fraction());
  const [batch, write] = [queues.batch, queues.write].map((queue) => shuffled(of(queue), () => chance.fraction()));
  const executed = chance.oneOf([last, batch?.[0], write?.[0]]) as Consumer;
  const acking = chance.oneOf([batch?.[1], write?.[1]]) as Consumer;
  const claimed = middle as Consumer;
  return [
    {
      name: "consumer killed before claim",
      consumer: early as Consumer,
      trap: (early as Consumer).requests.trap(isClaim),
    },
    { name: "consumer killed after claim", consumer: claimed, trap: claimed.requests.trap(isClaimed) },
    { name: "consumer killed after execute", consumer: executed, trap: afterExecute(executed) },
    {
      name: "consumer killed before ack",
      ...beforeAck(chance.happens(0.3) ? (last as Consumer) : acking, executed, acking),
    },
  ];
}

/** A consumer of tasks that acknowledges before it claims has nothing to forget at its end. */
function beforeAck(wanted: Consumer, taken: Consumer, instead: Consumer): Pick<Plan, "consumer" | "trap"> {
  const consumer = wanted === taken || wanted.orders.ackMode === "preAck" ? instead : wanted;
  return { consumer, trap: consumer.frames.trap(({ step }) => step === "ack") };
}

function isClaim({ path, answered }: Exchange): boolean {
  return path === "/v1/tasks/claim" && answered === null;
}

function isClaimed({ path, answered }: Exchange): boolean {
  return path === "/v1/tasks/claim" && answered !== null && JSON.parse(answered).tasks?.length > 0;
}

/** What it has done is told to nobody: not the server, and not the next step. */
function afterExecute({ orders, frames, requests }: Consumer): Trap {
  if (orders.queue === queues.batch) return frames.trap(({ step }) => step === "publish");
  return requests.trap(({ path, answered }) => answered === null && /\/(?:settle|count)$/.test(path));
}

async function carryOut({ name, consumer, trap }: Plan, tally: Tally): Promise<void> {
  await Promise.race([trap.sprung, pause(springMs, undefined, { ref: false })]);
  trap.remove();
  if (!trap.isSprung) return tally.missed(name);
  await consumer.kill();
  consumer.start();
  await consumer.ready();
  tally.hit(name);
}

async function killServer({ serverFrames, server, load }: Stage, tally: Tally) {
  const trap = serverFrames.trap(({ step }) => step === "publish");
  const burst = load.burst({ tasks: 8, coordinators: 1 });
  await Promise.race([trap.sprung, pause(springMs, undefined, { ref: false })]);
  trap.remove();
  await server.kill();
  await server.start();
  if (trap.isSprung) tally.hit("server killed between commit and publish");
  else tally.missed("server killed between commit and publish");
  return burst;
}

function shuffled<T>(list: readonly T[], fraction: () => number): readonly T[] {
  return list
    .map((item) => ({ item, at: fraction() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
