// Actors that reach for what other servers have in hand, as workers do that talk to any server they find.

import { Problem } from "../../src/core/problem.ts";
import { openStates, type TaskRow } from "../../src/core/task-row.ts";
import type { TaskRecord } from "../../src/ports/records.ts";
import type { Scene } from "./scene.ts";
import { ending } from "./working.ts";

const page = { limit: 30, offset: 0 } as const;

/** Settles tasks through this server, whichever handed them out, in the name of those that hold them. */
export async function settler(scene: Scene): Promise<void> {
  const { store, calls, chance, signal } = scene;
  while (!signal.aborted) {
    const found = await calls.ask(() => store.read("taskList", { state: "running", ...page }));
    const task = found instanceof Problem ? undefined : chance.oneOf(found.items);
    await scene.rest(chance.between(1, 10));
    if (task?.row.worker == null) continue;
    const { worker, attempt } = task.row;
    await calls.settle(task.card.id, { worker, attempt }, ending(scene));
  }
}

/** Cancels and settles many at once, so that whole batches of two servers meet in the same rows. */
export async function rusher(scene: Scene): Promise<void> {
  const { store, calls, chance, signal } = scene;
  while (!signal.aborted) {
    const lists = openStates.map((state) => calls.ask(() => store.read("taskList", { state, ...page })));
    const tasks = (await Promise.all(lists)).flatMap((found) => (found instanceof Problem ? [] : found.items));
    const some = tasks.filter(() => chance.happens(0.5));
    await Promise.all(
      some.map(({ card, row }) => (chance.happens(0.4) ? calls.cancel(card.id) : settle(card.id, row))),
    );
    await scene.rest(chance.between(20, 80));
  }

  async function settle(id: string, { worker, attempt }: TaskRow): Promise<void> {
    if (worker !== null) await calls.settle(id, { worker, attempt }, ending(scene));
  }
}

/** Anyone's open task, those with children first. */
export async function anyOpenTask(scene: Scene): Promise<string | undefined> {
  const { store, calls, chance } = scene;
  const state = chance.oneOf(openStates) ?? "pending";
  const found = await calls.ask(() => store.read("taskList", { state, ...page }));
  if (found instanceof Problem) return undefined;
  const parents = found.items.filter(isParent);
  return chance.oneOf(parents.length > 0 && chance.happens(0.7) ? parents : found.items)?.card.id;
}

function isParent({ payload }: TaskRecord): boolean {
  return "children" in (JSON.parse(payload) as object);
}

/** Sweeps whether this server leads or not: doing it twice is harmless. */
export async function eagerSweeper(scene: Scene): Promise<void> {
  const { engine, calls, chance, signal } = scene;
  while (!signal.aborted) {
    await calls.ask(() => engine.sweeper.tick());
    await scene.rest(chance.between(20, 100));
  }
}
