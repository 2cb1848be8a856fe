// The rows this server has handed out. Moves are decided on this copy and compared by version when they are written,
// so settling a task reads nothing. Only a copy: losing it costs one read.

import type { TaskRow } from "../core/task-row.ts";
import type { OpenTask } from "../ports/records.ts";

export interface Held {
  get(id: string): OpenTask | undefined;
  keep(task: OpenTask): void;
  drop(id: string): void;
  moved(id: string, row: TaskRow): void;
  size(): number;
}

const renewEvery = 1_000;

export function held(sizeMax = 200_000): Held {
  let tasks = new Map<string, OpenTask>();
  let keptSince = 0;

  /** A map in which entries come and go leaves a trail of outgrown tables that holds all of them; a copy ends it. */
  function renew(): void {
    keptSince += 1;
    if (keptSince < renewEvery + tasks.size) return;
    tasks = new Map(tasks);
    keptSince = 0;
  }

  return {
    get: (id) => tasks.get(id),
    keep(task) {
      renew();
      tasks.set(task.card.id, { card: task.card, row: task.row });
      if (tasks.size > sizeMax) tasks.delete(tasks.keys().next().value as string);
    },
    drop: (id) => void tasks.delete(id),
    moved(id, row) {
      const known = tasks.get(id);
      if (known !== undefined) tasks.set(id, { card: known.card, row });
    },
    size: () => tasks.size,
  };
}
