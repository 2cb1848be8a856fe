// A worker of the demo: it takes tasks, does what each says, and beats. It runs inside the server's process and asks the
// engine for what a worker elsewhere asks a door for.

import { Problem } from "../../core/problem.ts";
import type { Server } from "../../server/server.ts";
import { fateOf } from "./sample-jobs.ts";
import type { Tally } from "./tally.ts";

export type Operations = Server["operations"];
type Claimed = Awaited<ReturnType<Operations["claim"]>>[number];

export interface SampleWorker {
  readonly operations: Operations;
  readonly name: string;
  readonly jobs: readonly string[];
  readonly tally: Tally;
}

const inHandMax = 50;
const waitMs = 1_000;
const beatMs = 1_000;

/** Works until the signal says stop. */
export async function runSampleWorker(worker: SampleWorker, signal: AbortSignal): Promise<void> {
  const { operations, tally } = worker;
  let id = await register(worker);
  // A beat that fails tells nothing that the next claim does not.
  const beating = setInterval(() => operations.beat(id).catch(() => {}), beatMs);
  try {
    while (!signal.aborted) {
      try {
        const tasks = await operations.claim({ worker: id, limit: inHandMax, waitMs, assign: true, signal });
        tally.add({ held: tasks.length });
        await Promise.all(tasks.map((task) => handle(worker, id, task)));
      } catch (error) {
        // The machine slept, perhaps, and the server gave the worker up.
        if (!hasCode(error, "worker-not-found")) throw error;
        id = await register(worker);
      }
    }
  } finally {
    clearInterval(beating);
  }
}

async function register({ operations, name, jobs }: SampleWorker): Promise<string> {
  const links = new Map(jobs.map((job) => [job, null]));
  const { id } = await operations.workers.register({ profile: "work", owner: "demo", name, jobs: links });
  return id;
}

async function handle(worker: SampleWorker, id: string, task: Claimed): Promise<void> {
  try {
    await work(worker, { worker: id, attempt: task.row.attempt }, task);
  } catch (error) {
    if (!hasCode(error, "lease-lost", "invalid-task-transition")) throw error;
    worker.tally.add({ refused: 1 });
  } finally {
    worker.tally.add({ held: -1 });
  }
}

interface Holder {
  readonly worker: string;
  readonly attempt: number;
}

async function work(
  { operations, tally }: SampleWorker,
  holder: Holder,
  { card, row, payload }: Claimed,
): Promise<void> {
  const { id } = card;
  switch (fateOf(payload)) {
    case "retry":
      if (row.attempt === 1) return fail("The mail server is busy");
      break;
    case "hopeless":
      return fail("The address does not exist");
    case "progress":
      await operations.progress(id, { holder }, { current: 1, total: 2, message: "half way" });
      break;
    case "overtaken":
      await operations.cancel({ id, actor: "demo" });
      tally.add({ cancelled: 1 });
      break;
  }
  await operations.settle(id, holder, { type: "complete", result: '{"ok":true}' });
  tally.add({ completed: 1 });

  async function fail(message: string): Promise<void> {
    const error = { message, code: null, details: null };
    const after = await operations.settle(id, holder, { type: "fail", error });
    tally.add(after.row.state === "failed" ? { failed: 1 } : { retried: 1 });
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Problem && codes.includes(error.code);
}
