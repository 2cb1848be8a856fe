// One run: takes the steps without waiting for their answers, so that they meet; then calls fall into order, workers are
// healthy, and everything that was accepted has to come to its end.

import { Problem } from "../../core/problem.ts";
import { openStates } from "../../core/task-row.ts";
import { verify } from "../../engine/verify.ts";
import type { ClaimedTask } from "../../ports/records.ts";
import { type Entry, forgottenChildren, ledgerFaults } from "../ledger.ts";
import { seededRandom } from "../seeded-random.ts";
import { settled } from "../world.ts";
import { act, type Cast, completion, hire, jobs, policies } from "./cast.ts";
import { type Servers, servers } from "./servers.ts";
import type { Run, Step } from "./steps.ts";

/** Every way in which the run went wrong, each a sentence. */
export async function simulate(run: Run): Promise<string[]> {
  const ledger: Entry[] = [];
  const random = seededRandom(run.seed);
  const around = await servers({ random, turns: run.turns, deaf: run.deaf, note: (entry) => ledger.push(entry) });
  const cast = newCast(around);
  for (const [index, name] of jobs.entries()) {
    const policy = policies[index] as (typeof policies)[number];
    await around.at(0).world.engine.jobs.register({ name, schema: {}, policy, source: "explicit", replace: true });
  }
  around.storm();
  for (const step of run.steps) await take(step, cast);
  around.calm();
  await settled();
  cast.beating.clear();
  await pass(cast, quietMs);
  const forgotten = await forgottenChildren(around.store);
  const undone = await finish(cast);
  const { faults } = await verify(around.store);
  return [
    ...cast.faults.map((error) => `a call was answered with ${error instanceof Error ? error.stack : error}`),
    ...forgotten,
    ...undone,
    ...faults.map(({ task, fault }) => `task ${task} ${fault}`),
    ...(await ledgerFaults(ledger, around.store)),
  ];
}

function newCast(around: Servers): Cast {
  let marks = 0;
  const mark = (): number => {
    marks += 1;
    return marks;
  };
  return { around, tasks: [], workers: [], beating: new Set(), held: [], faults: [], mark };
}

async function take(step: Step, cast: Cast): Promise<void> {
  const { around } = cast;
  if (step.do === "turn") return settled(step.turns);
  if (step.do === "wait") return pass(cast, step.ms);
  if (step.do === "crash") return around.crash(step.server);
  // Nobody waits for the answer: of a server that dies there will be none.
  void act(step, cast).catch((error: unknown) => cast.faults.push(error));
  await settled(1);
}

const stepMs = 250;

async function pass(cast: Cast, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    for (const worker of cast.beating) void beat(cast, worker);
    cast.around.clock.advance(Math.min(left, stepMs));
    await settled(20);
  }
}

async function beat(cast: Cast, worker: string): Promise<void> {
  const { calls, world } = cast.around.at(worker.charCodeAt(worker.length - 5) % 2);
  const answer = await calls.ask(() => world.engine.beat(worker));
  if (answer instanceof Problem && answer.code === "worker-not-found") cast.beating.delete(worker);
}

/** Time for another server to take the lead, and to finish what the one before it began. */
const quietMs = 8_000;

const roundsMax = 400;

/** Answers what is still undone when there has been time enough for everything. */
async function finish(cast: Cast): Promise<readonly string[]> {
  const { around } = cast;
  const healthy = [await hire(cast, 0, "work"), await hire(cast, 1, "work")] as string[];
  for (let round = 0; round < roundsMax; round += 1) {
    if ((await undone(cast)).length === 0) break;
    await pass(cast, 500);
    for (const [server, worker] of healthy.entries()) await complete(cast, server, worker);
  }
  return undone(cast);

  async function complete(cast: Cast, server: number, worker: string): Promise<void> {
    const { calls } = around.at(server);
    const tasks = await calls.claim({ worker, limit: 50, assign: true, waitMs: 0 });
    if (tasks instanceof Problem) throw tasks;
    const settle = ({ card, row }: ClaimedTask) =>
      calls.settle(card.id, { worker, attempt: row.attempt }, completion(cast));
    await Promise.all(tasks.map(settle));
  }
}

async function undone({ around: { store } }: Cast): Promise<string[]> {
  const open = openStates.map(async (state) => {
    const { items } = await store.read("taskList", { state, limit: 100, offset: 0 });
    return items.map(({ card }) => `task ${card.id} is stranded, ${state}`);
  });
  const outbox = ["cascade", "count"].map(async (kind) => {
    const items = await store.find("outbox", { kind, limit: 100 });
    return items.map(({ key }) => `the ${kind} for ${key} is left undone`);
  });
  return (await Promise.all([...open, ...outbox])).flat();
}
