// Two servers, one database and one broker, and consumers that hear of tasks by messages alone. Whatever falls over, in the
// end everything that was accepted has to be told of, taken and ended, and coordinators by the messages they sent.

import { defaultProfiles } from "../../core/liveness.ts";
import { Problem } from "../../core/problem.ts";
import type { Move } from "../../core/task.ts";
import { isFinal } from "../../core/task-row.ts";
import { messagesKind } from "../../engine/publishing/operation-items.ts";
import { verify } from "../../engine/verify.ts";
import type { Random } from "../../ports/random.ts";
import type { OutboxItem, TaskRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { brokerQueues } from "../broker-world.ts";
import { type FakeCourier, fakeCourier } from "../fake-courier.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";
import { seededRandom } from "../seeded-random.ts";
import { settled, type World, world } from "../world.ts";
import type { BrokerRun, BrokerStep } from "./broker-steps.ts";
import { type UnsteadyCourier, unsteadyCourier } from "./unsteady-courier.ts";
import { type UnsteadyStore, unsteadyStore } from "./unsteady-store.ts";

const job = "@global:operations:work";
const lostMs = 4_000;
const amqp = { ...defaultProfiles.amqp, lostMs, ownLeaseMs: lostMs, removedMs: 10_000 };
const settings = {
  ...{ brokerQueues, unconsumedMax: 6, republishAfterMs: 8_000, republishMax: 1_000 },
  profiles: { ...defaultProfiles, amqp },
};
const troubles = 0.08;
const refusals = 0.03;

interface Server {
  readonly world: World;
  readonly link: UnsteadyStore;
  readonly wire: UnsteadyCourier;
  /** Of the consumer beside it; a server that was started anew has none yet. */
  worker: string | null;
}

interface Stage {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly broker: FakeCourier;
  readonly random: Random;
  readonly turns: number;
  readonly servers: Server[];
  readonly faults: string[];
  started: number;
  calm: boolean;
}

/** Every way in which the run went wrong, each a sentence. */
export async function brokered(run: BrokerRun): Promise<string[]> {
  const stage = await newStage(run);
  calmDown(stage, false);
  for (const step of run.steps) await take(stage, step);
  calmDown(stage, true);
  stage.broker.up();
  await settled();
  await pass(stage, 8_000);
  for (const each of stage.servers) await hire(each);
  for (let round = 0; round < 120 && !(await isDone(stage)); round += 1) {
    await pass(stage, 1_000);
    await countAll(stage);
    for (const each of stage.servers) while (await consumed(stage, each, 0));
  }
  const stranded = (await open(stage)).map(({ row }) => `task ${row.id} is stranded, ${row.state} at ${row.version}`);
  const unsent = (await left(stage)).map(({ key }) => `messages of ${key} are left in the outbox`);
  const { faults } = await verify(stage.store);
  const untrue = faults.map(({ task, fault }) => `task ${task} ${fault}`);
  return [...stage.faults, ...stranded, ...unsent, ...untrue];
}

async function newStage({ seed, turns }: BrokerRun): Promise<Stage> {
  const broker = fakeCourier({ queues: [...brokerQueues.keys()] });
  await broker.start();
  const stage: Stage = {
    ...{ store: memoryStore(), clock: manualClock(), broker, random: seededRandom(seed), turns },
    ...{ servers: [], faults: [], started: 0, calm: true },
  };
  for (const number of [0, 1]) await start(stage, number);
  const policy = { retry: { maxAttempts: 3, baseMs: 100 }, maxRequeues: 1_000 };
  await stage.servers[0]?.world.job(job, policy);
  for (const each of stage.servers) await hire(each);
  return stage;
}

async function start(stage: Stage, number: number): Promise<void> {
  const { random, clock, broker } = stage;
  stage.started += 1;
  const link = unsteadyStore(stage.store, random);
  const wire = unsteadyCourier(broker, random, new Set(brokerQueues.keys()));
  const ports = { store: link.store, courier: wire.courier, clock, source: stage.started };
  stage.servers[number] = { world: await world({ ...ports, settings }), link, wire, worker: null };
  calmDown(stage, stage.calm);
}

function calmDown(stage: Stage, calm: boolean): void {
  stage.calm = calm;
  for (const { link, wire } of stage.servers) {
    link.shake(calm ? 0 : stage.turns, calm ? 0 : refusals);
    wire.shake(calm ? 0 : stage.turns, calm ? 0 : troubles);
  }
}

async function take(stage: Stage, step: BrokerStep): Promise<void> {
  if (step.do === "turn") return settled(step.turns);
  if (step.do === "wait") return pass(stage, step.ms);
  if (step.do === "crash") return crash(stage, step.server);
  // Nobody waits for the answer: of a server that dies there will be none.
  void act(stage, step);
  await settled(1);
}

async function act(stage: Stage, step: Exclude<BrokerStep, { do: "turn" | "wait" | "crash" }>): Promise<void> {
  const { broker } = stage;
  switch (step.do) {
    case "submit":
      return submit(stage, step);
    case "consume":
      return void (await consumed(stage, stage.servers[step.server] as Server, step.how));
    case "batch":
      return void broker.take("batch");
    case "purge":
      for (const queue of brokerQueues.keys()) broker.purge(queue);
      return;
    case "down":
    case "up":
      return broker[step.do]();
  }
}

async function submit(stage: Stage, { server, tasks, delayMs }: Extract<BrokerStep, { do: "submit" }>): Promise<void> {
  const runAt = delayMs === null ? null : stage.clock.now() + delayMs;
  const request = { job, room: "@global", payload: "{}", queue: "jobs", runAt };
  const requests = Array.from({ length: tasks }, () => request);
  await quietly(stage, () => (stage.servers[server] as Server).world.engine.submit(requests));
}

async function hire(at: Server): Promise<string> {
  at.worker = await at.world.worker([job], { profile: "amqp" });
  return at.worker;
}

/** As a consumer does it: what it may not have it lets be. False: there was no message. */
async function consumed(stage: Stage, at: Server, how: number): Promise<boolean> {
  const body = stage.broker.take("jobs");
  if (body === undefined) return false;
  const { job_id: id } = JSON.parse(body) as { job_id: string };
  await quietly(stage, async () => {
    const { engine } = at.world;
    const { row } = await engine.take(id, at.worker ?? (await hire(at)));
    const holder = { worker: row.worker as string, attempt: row.attempt };
    await engine.settle(id, holder, { type: "start" });
    const move = ending(how);
    if (move !== null) await engine.settle(id, holder, move);
  });
  return true;
}

async function quietly(stage: Stage, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) stage.faults.push(`a call was answered with ${error}`);
  }
}

/** Consumers do whatever operations there are; until then they were forgotten. */
async function countAll(stage: Stage): Promise<void> {
  for (let body = stage.broker.take("batch"); body !== undefined; body = stage.broker.take("batch")) {
    const { job_id: parent, index } = JSON.parse(body) as { job_id: string; index: number };
    const [{ world: w }] = stage.servers as [Server];
    await quietly(stage, () => w.engine.count(parent, [{ index, failed: false, error: null }]));
  }
}

async function pass(stage: Stage, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    for (const { world: w, worker } of stage.servers) {
      if (worker !== null) void quietly(stage, () => w.engine.beat(worker));
    }
    stage.clock.advance(Math.min(left, 250));
    await settled(20);
  }
}

async function crash(stage: Stage, number: number): Promise<void> {
  stage.servers[number]?.link.die();
  stage.servers[number]?.wire.die();
  await start(stage, number);
  await settled(5);
}

async function all({ store }: Stage): Promise<readonly TaskRecord[]> {
  return (await store.read("taskList", { limit: 1_000, offset: 0 })).items;
}

async function open(stage: Stage): Promise<readonly TaskRecord[]> {
  return (await all(stage)).filter(({ row }) => !isFinal(row.state));
}

async function isDone(stage: Stage): Promise<boolean> {
  return (await open(stage)).length === 0 && (await left(stage)).length === 0;
}

function left({ store }: Stage): Promise<readonly OutboxItem[]> {
  return store.find("outbox", { kind: messagesKind("batch"), limit: 10 });
}

const messages = Array.from({ length: 3 }, () => ({ queue: "batch", operation: "store", payload: "{}" }));
const error = { message: "no", code: null, details: null };

/** Null: it is forgotten. */
function ending(how: number): Move | null {
  if (how < 4) return { type: "complete", result: null };
  if (how < 6) return { type: "release", reason: "retry_later", delayMs: how === 4 ? 0 : 1_500 };
  if (how === 6) return { type: "fail", error };
  return how === 7 ? { type: "defer", total: messages.length, messages } : null;
}
