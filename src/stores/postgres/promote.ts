import type { Promoted } from "../../ports/pulse.ts";
import type { Database } from "./database.ts";
import { ask, type Statement } from "./statement.ts";
import { transact } from "./transact.ts";

// Locked in order of id, as everywhere; what someone else holds is moving anyway, and is looked at again.
const promoteTasks: Statement = {
  name: "promote_tasks",
  text: `
    with
    due as materialized (
      select id
      from open_task
      where run_at <= $1
      order by run_at, id
      limit $2
    ),
    locked as materialized (
      select l.id, l.run_at
      from (select id from due order by id) d
      cross join lateral (
        select o.id, o.run_at
        from open_task o
        where o.id = d.id
        for update skip locked
      ) l
    )
    update open_task o
    set run_at = null
    from locked l
    where o.id = l.id
      and l.run_at <= $1
    returning o.lane, o.id`,
};

export async function promote(database: Database, now: number, limit: number): Promise<Promoted> {
  const rows = await transact(database, (client) =>
    ask<[lane: number, id: string]>(client, promoteTasks, [now, limit]),
  );
  if (rows.length > 0) database.floors.forget();
  const lanes = [...new Set(rows.map(([lane]) => lane))].sort((a, b) => a - b);
  return { count: rows.length, lanes, tasks: rows.map(([, id]) => id).sort() };
}
