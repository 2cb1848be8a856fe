// Healthy workers that beat, take what there is and complete it, until nothing is open any more.

import assert from "node:assert/strict";
import { Problem } from "../../src/core/problem.ts";
import { openStates } from "../../src/core/task-row.ts";
import type { ClaimedTask } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { forgottenChildren } from "../../src/testing/ledger.ts";
import { until } from "../../src/testing/until.ts";
import { allJobs, type Scene } from "./scene.ts";
import { completion } from "./working.ts";

const workers = 4;
const batch = 50;

/** Rejects when a task is still open after the limit: then it is stranded. */
export async function drain(scene: Scene, limitMs: number): Promise<void> {
  const { store } = scene;
  await until("every cascade is finished", async () => (await unfinished(store)) === 0, limitMs);
  assert.deepEqual(await forgottenChildren(store), []);
  const beating = new Set<string>();
  const actors = [...Array.from({ length: workers }, () => work(scene, beating)), beat(scene, beating)];
  const over = Promise.all(actors);
  const drained = until("every task has ended", async () => (await undone(store)) === 0, limitMs).catch(
    async (error) => {
      throw new Error(`Stranded: ${JSON.stringify(await someOpen(store))}`, { cause: error });
    },
  );
  try {
    await Promise.race([drained, over]);
    await drained;
  } finally {
    scene.end();
    await over;
  }
}

async function hire({ engine }: Scene, beating: Set<string>): Promise<string> {
  const jobs = new Map(allJobs.map((job) => [job, null]));
  const { id } = await engine.workers.register({ profile: "work", owner: "drain", jobs });
  beating.add(id);
  return id;
}

async function work(scene: Scene, beating: Set<string>): Promise<void> {
  const { calls, signal } = scene;
  let worker = await hire(scene, beating);
  while (!signal.aborted) {
    const tasks = await calls.claim({ worker, limit: batch, assign: true, waitMs: 100, signal });
    if (!(tasks instanceof Problem)) {
      const settle = ({ card, row }: ClaimedTask) =>
        calls.settle(card.id, { worker, attempt: row.attempt }, completion(scene));
      await Promise.all(tasks.map(settle));
    } else if (tasks.code === "worker-not-found") {
      // A machine too busy to beat in time: a worker that hears this registers again.
      beating.delete(worker);
      worker = await hire(scene, beating);
    }
  }
}

async function beat(scene: Scene, beating: ReadonlySet<string>): Promise<void> {
  while (!scene.signal.aborted) {
    for (const id of beating) await scene.calls.ask(() => scene.engine.beat(id));
    await scene.rest(200);
  }
}

async function undone(store: Store): Promise<number> {
  const pages = await Promise.all(openStates.map((state) => store.read("taskList", { state, limit: 1, offset: 0 })));
  return pages.reduce((sum, page) => sum + page.total, 0) + (await unfinished(store));
}

/** Effects that have to follow a commit. */
async function unfinished(store: Store): Promise<number> {
  const items = await Promise.all(["cascade", "count"].map((kind) => store.find("outbox", { kind, limit: 1 })));
  return items.flat().length;
}

async function someOpen(store: Store): Promise<unknown[]> {
  const pages = await Promise.all(openStates.map((state) => store.read("taskList", { state, limit: 3, offset: 0 })));
  return pages.flatMap(({ items }) => items.map(({ card, row }) => ({ row, parent: card.parent })));
}
