import type { DatabaseSync } from "node:sqlite";
import type { Promoted } from "../../ports/pulse.ts";
import { change, query } from "./statement.ts";

const selectDue = `
  select id, lane
  from open_task
  where run_at <= ?
  order by run_at, id
  limit +?`;

const updateDue = `
  update open_task
  set run_at = null
  where id = ?`;

export function promote(db: DatabaseSync): (now: number, limit: number) => Promoted {
  const due = query<[string, number]>(db, selectDue);
  const makeReady = change(db, updateDue);

  return (now, limit) => {
    const tasks = due.all(now, limit);
    const lanes = new Set<number>();
    for (const [id, lane] of tasks) {
      makeReady(id);
      lanes.add(lane);
    }
    return { count: tasks.length, lanes: [...lanes].sort((a, b) => a - b), tasks: tasks.map(([id]) => id).sort() };
  };
}
