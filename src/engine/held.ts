// The rows this server has handed out. Moves are decided on this copy and compared by version when they are written,
// so settling a task reads nothing. Only a copy: losing it costs one read.

import type { TaskRow } from "../core/task-row.ts";
import type { OpenTask } from "../ports/records.ts";

export interface Held {
  get(id: string): OpenTask | undefined;
  keep(task: OpenTask): void;
  drop(id: string): void;
  moved(id: string, row: TaskRow): void;
  ofWorker(worker: string): OpenTask[];
  size(): number;
}

export function held(sizeMax = 200_000): Held {
  const tasks = new Map<string, OpenTask>();
  return {
    get: (id) => tasks.get(id),
    keep(task) {
      tasks.set(task.card.id, { card: task.card, row: task.row });
      if (tasks.size > sizeMax) tasks.delete(tasks.keys().next().value as string);
    },
    drop: (id) => void tasks.delete(id),
    moved(id, row) {
      const known = tasks.get(id);
      if (known !== undefined) tasks.set(id, { card: known.card, row });
    },
    ofWorker: (worker) => [...tasks.values()].filter((task) => task.row.worker === worker),
    size: () => tasks.size,
  };
}
