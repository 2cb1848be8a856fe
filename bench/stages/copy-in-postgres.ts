import { Client } from "pg";
import type { Copying } from "./history.ts";

const slice = 100_000;

/** The tables that keep history, and the column with the task's id. */
const tables = { task: "id", outcome: "task", task_event: "task" } as const;

const selectColumns = `
  select table_schema, string_agg(quote_ident(column_name), ', '), string_agg('s.' || quote_ident(column_name), ', ')
  from information_schema.columns
  where table_name = $1
    and column_name <> $2
    and is_generated = 'NEVER'
  group by table_schema`;

// The copy's number gives its time and its order, and makes it the only one of its id.
const idOf = `(
  lpad(to_hex($4::bigint + n / $5::bigint), 12, '0') || '7' || lpad(to_hex(n % $5::bigint), 3, '0')
  || '8' || lpad(to_hex(n), 15, '0')
)::uuid`;

/** Answers how many tasks were copied. */
export async function copyInPostgres(url: string, copying: Copying): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off");
  const inserts: string[] = [];
  for (const [table, id] of Object.entries(tables)) inserts.push(await insertCopies(client, table, id));
  const until = performance.now() + copying.msMax;
  let copied = 0;
  while (copied < copying.tasks && performance.now() < until) {
    const to = Math.min(copied + slice, copying.tasks);
    for (const insert of inserts) {
      await client.query(insert, [copying.sample, copied, to - 1, copying.firstAt, copying.tasksPerMs]);
    }
    copied = to;
  }
  await client.end();
  return copied;
}

async function insertCopies(client: Client, table: string, id: string): Promise<string> {
  const { rows } = await client.query<string[]>({ text: selectColumns, values: [table, id], rowMode: "array" });
  if (rows.length !== 1) throw new Error(`There are ${rows.length} tables with the name ${table}`);
  const [schema, columns, values] = rows[0] as [string, string, string];
  return `
    insert into "${schema}"."${table}" (${id}, ${columns})
    select ${idOf}, ${values}
    from generate_series($2::bigint, $3::bigint) n
    cross join (select * from "${schema}"."${table}" where ${id} = $1::uuid offset 0) s
    order by n`;
}
