// The server is killed between its commits and their messages; then consumers, at four moments of one delivery.

import { setTimeout as pause } from "node:timers/promises";
import { claimedYet, ranAgain } from "./came-back.ts";
import type { Consumer } from "./consumers.ts";
import type { Frame } from "./frame-gate.ts";
import type { Exchange } from "./request-gate.ts";
import { killServers } from "./server-kills.ts";
import type { Stage } from "./stage.ts";
import type { FaultName, Tally } from "./tally.ts";
import type { Trap } from "./traps.ts";
import { queues } from "./words.ts";

const drainMs = 60_000;
const springMs = 20_000;

interface Plan {
  readonly name: FaultName;
  readonly consumer: Consumer;
  readonly trap: Trap<unknown>;
  /** Where the broker has to bring back what was in hand: whether it did. */
  cameBack?(): Promise<boolean>;
}

export async function killRound(stage: Stage, tally: Tally): Promise<void> {
  const { load } = stage;
  const untold = await killServers(stage, tally);
  const plans = drawnPlans(stage);
  const isDue = ({ name }: Plan): boolean => tally.lacks(name) > 0;
  // What has happened often enough is not done again for the sake of what was missed.
  for (const plan of plans) if (!isDue(plan)) plan.trap.remove();
  const burst = load.burst({ tasks: 60, coordinators: 4, parts: 15 });
  await Promise.all(plans.filter(isDue).map((plan) => carryOut(plan, stage, tally)));
  await load.drained([...untold, ...(await burst)], drainMs);
}

/** Each at another consumer, whichever it is. */
function drawnPlans(stage: Stage): readonly Plan[] {
  const { of, chance } = stage;
  const shuffled = (queue: string): readonly Consumer[] =>
    of(queue)
      .map((consumer) => ({ consumer, at: chance.fraction() }))
      .sort((one, other) => one.at - other.at)
      .map(({ consumer }) => consumer);
  const jobs = shuffled(queues.jobs);
  const hasty = jobs.find(({ orders }) => orders.ackMode === "preAck") as Consumer;
  // Whoever acknowledges before it claims has nothing to keep, and nothing to forget at its end.
  const patient = jobs.filter((each) => each !== hasty);
  const [early, acking, claimed, executed] = patient as [Consumer, Consumer, Consumer, Consumer];
  const [batch, write] = [shuffled(queues.batch), shuffled(queues.write)];
  const done = chance.oneOf([batch[1], write[1]]) as Consumer;
  return [
    beforeClaim(stage, early, "consumer killed before claim, its message kept"),
    beforeClaim(stage, hasty, "consumer killed before claim, its message acknowledged"),
    { name: "consumer killed after claim", consumer: claimed, trap: claimed.requests.trap(isClaimed) },
    { name: "consumer of tasks killed after execute", consumer: executed, trap: executed.requests.trap(isSettling) },
    beforeHandingOn(stage, batch[0] as Consumer),
    beforeCount(stage, write[0] as Consumer),
    { name: "consumer of tasks killed before ack", consumer: acking, trap: acking.frames.trap(isAck) },
    { name: "consumer of operations killed before ack", consumer: done, trap: done.frames.trap(isAck) },
  ];
}

function beforeClaim(stage: Stage, consumer: Consumer, name: FaultName): Plan {
  const trap = consumer.requests.trap(isClaim);
  const isKept = consumer.orders.ackMode !== "preAck";
  return { name, consumer, trap, ...(isKept && { cameBack: () => claimedYet(stage, trap.caught as Exchange) }) };
}

/** What it has done is told to nobody: not the next step. */
function beforeHandingOn(stage: Stage, consumer: Consumer): Plan {
  const trap = consumer.frames.trap(({ queue }) => queue === queues.write);
  const cameBack = (): Promise<boolean> => {
    const { job_id: id, index: nth } = JSON.parse((trap.caught as Frame).body as string);
    return ranAgain(stage, consumer, { ran: "batch", id, nth });
  };
  return { name: "consumer of operations killed before it hands on", consumer, trap, cameBack };
}

/** And not the server. */
function beforeCount(stage: Stage, consumer: Consumer): Plan {
  const trap = consumer.requests.trap(isCounting);
  const cameBack = (): Promise<boolean> => {
    const { path, asked } = trap.caught as Exchange;
    const [{ index: nth }] = JSON.parse(asked).marks;
    return ranAgain(stage, consumer, { ran: "write", id: path.split("/").at(-2) as string, nth });
  };
  return { name: "consumer of operations killed before it counts", consumer, trap, cameBack };
}

function isClaim({ path, answered }: Exchange): boolean {
  return path === "/v1/tasks/claim" && answered === null;
}

function isClaimed({ path, answered }: Exchange): boolean {
  return path === "/v1/tasks/claim" && answered !== null && JSON.parse(answered).tasks?.length > 0;
}

function isSettling({ path, answered }: Exchange): boolean {
  return answered === null && path.endsWith("/settle");
}

/** Of what was done: one that has failed is among the dead letters besides, and they have a judge of their own. */
function isCounting({ path, answered, asked }: Exchange): boolean {
  return answered === null && path.endsWith("/count") && JSON.parse(asked).marks[0]?.status === "done";
}

function isAck({ step }: Frame): boolean {
  return step === "ack";
}

async function carryOut({ name, consumer, trap, cameBack }: Plan, { chance }: Stage, tally: Tally): Promise<void> {
  await Promise.race([trap.sprung, pause(springMs, undefined, { ref: false })]);
  trap.remove();
  if (trap.caught === null) return tally.missed(name);
  const back = cameBack?.() ?? true;
  // Not a wait for anything: whatever goes out without an answer to what was stopped may do so.
  await pause(chance.between(50, 150));
  await consumer.kill();
  consumer.start();
  await consumer.ready();
  if (await back) tally.hit(name);
  else tally.missed(name);
}
