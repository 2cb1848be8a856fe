import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Copying } from "./history.ts";

const slice = 50_000;

/** The tables that keep history, and the column with the task's id. */
const tables = { task: "id", outcome: "task", task_event: "task" } as const;

// The copy's number gives its time and its order, and makes it the only one of its id.
const idOf = `printf('%08x-%04x-7%03x-8000-%012x', (:firstAt + n / :tasksPerMs) >> 16,
  (:firstAt + n / :tasksPerMs) & 65535, n % :tasksPerMs, n)`;

/** Answers how many tasks were copied. */
export async function copyInSqlite(file: string, copying: Copying): Promise<number> {
  const db = new DatabaseSync(file);
  // Nothing here has to survive a crash.
  db.exec("pragma synchronous = off; pragma cache_size = -262144; pragma temp_store = memory");
  const { sample, firstAt, tasksPerMs } = copying;
  const inserts = Object.entries(tables).map(([table, id]) => insertCopies(db, table, id, sample));
  const until = performance.now() + copying.msMax;
  let copied = 0;
  while (copied < copying.tasks && performance.now() < until) {
    const to = Math.min(copied + slice, copying.tasks);
    db.exec("begin");
    for (const insert of inserts) insert.run({ firstAt, tasksPerMs, from: copied, to: to - 1 });
    db.exec("commit");
    copied = to;
  }
  db.exec("pragma wal_checkpoint(truncate)");
  db.close();
  return copied;
}

function insertCopies(db: DatabaseSync, table: string, id: string, sample: string): StatementSync {
  // A table that is read and written by one statement would be copied for it each time.
  db.exec(`create temp table sample_${table} as select * from ${table} where false`);
  db.prepare(`insert into sample_${table} select * from ${table} where ${id} = ?`).run(sample);
  const names = db.prepare("select name from pragma_table_info(?) where name <> ?").all(table, id);
  const columns = names.map(({ name }) => `"${name}"`);
  return db.prepare(`
    with recursive numbers (n) as (
      select :from
      union all
      select n + 1
      from numbers
      where n < :to
    )
    insert into ${table} (${id}, ${columns.join(", ")})
    select ${idOf}, ${columns.map((column) => `s.${column}`).join(", ")}
    from numbers
    cross join sample_${table} s`);
}
