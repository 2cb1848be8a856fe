// The rows this server has handed out. Moves are decided on this copy and compared by version when they are written,
// so settling a task reads nothing. Only a copy: losing it costs one read.

import { passage } from "../core/passage.ts";
import type { TaskRow } from "../core/task-row.ts";
import type { OpenTask } from "../ports/records.ts";

export interface Held {
  get(id: string): OpenTask | undefined;
  keep(task: OpenTask): void;
  drop(id: string): void;
  moved(id: string, row: TaskRow): void;
  size(): number;
}

export function held(sizeMax = 200_000): Held {
  const tasks = passage<string, OpenTask>();

  return {
    get: (id) => tasks.map().get(id),
    keep(task) {
      tasks.set(task.card.id, { card: task.card, row: task.row });
      const all = tasks.map();
      if (all.size > sizeMax) tasks.delete(all.keys().next().value as string);
    },
    drop: tasks.delete,
    moved(id, row) {
      const known = tasks.map().get(id);
      if (known !== undefined) tasks.set(id, { card: known.card, row });
    },
    size: () => tasks.map().size,
  };
}
