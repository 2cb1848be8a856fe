import type { ClientBase } from "pg";
import { refusalsMax } from "../../core/task-event.ts";
import type { LogLine, Refusal } from "../../ports/records.ts";
import type { Lines } from "../../ports/store.ts";
import { isTaskId, jsonRows, plainArray, sortedIds } from "./arrays.ts";
import type { Database } from "./database.ts";
import { ask, type Statement } from "./statement.ts";
import { transact } from "./transact.ts";
import { writeWorkerEvents } from "./write-beside.ts";

const insertLogLines: Statement = {
  name: "insert_log_lines",
  text: `
    insert into log_line (task, at, attempt, level, message, event, fields)
    select r.task, r.at, r.attempt, r.level, r.message, r.event, r.fields
    from json_to_recordset($1::json) r (
      task uuid, at bigint, attempt integer, level text, message text, event text, fields text
    )
    where exists (select from task t where t.id = r.task)`,
};

// Refusals of one task are counted, so they come one after the other. The card is locked: the task may be final.
const lockCards: Statement = {
  name: "lock_cards",
  text: `
    select t.id
    from unnest($1::uuid[]) with ordinality n (id, nth)
    join task t on t.id = n.id
    order by n.nth
    for update of t`,
};

const countRefusals: Statement = {
  name: "count_refusals",
  text: `
    select n.id, (select count(*) from refusal r where r.task = n.id)
    from unnest($1::uuid[]) n (id)`,
};

const insertRefusals: Statement = {
  name: "insert_refusals",
  text: `
    insert into refusal (task, nth, at, attempt, times, worker, data)
    select task, nth, at, attempt, 1, worker, data
    from json_to_recordset($1::json) r (
      task uuid, nth integer, at bigint, attempt integer, worker text, data text
    )`,
};

const raiseRefusals: Statement = {
  name: "raise_refusals",
  text: `
    update refusal r
    set times = r.times + m.more
    from json_to_recordset($1::json) m (task uuid, more integer)
    where r.task = m.task
      and r.nth = $2`,
};

export async function append(
  database: Database,
  { logs = [], workerEvents = [], refusals = [] }: Lines,
): Promise<void> {
  if (logs.length + workerEvents.length + refusals.length === 0) return;
  await transact(database, async (client) => {
    await Promise.all([
      logs.length > 0 ? writeLogs(client, logs) : null,
      writeWorkerEvents(client, workerEvents),
      refusals.length > 0 ? writeRefusals(client, refusals) : null,
    ]);
  });
}

async function writeLogs(client: ClientBase, logs: readonly LogLine[]): Promise<void> {
  await ask(client, insertLogLines, [jsonRows(logs.filter((line) => isTaskId(line.task)))]);
}

async function writeRefusals(client: ClientBase, refusals: readonly Refusal[]): Promise<void> {
  const ids = plainArray(sortedIds(refusals.map((refusal) => refusal.task)));
  const [there, before] = await Promise.all([
    ask<[task: string]>(client, lockCards, [ids]),
    ask<[task: string, count: number]>(client, countRefusals, [ids]),
  ]);
  const known = new Set(there.map(([task]) => task));
  const counts = new Map(before);
  const lines: object[] = [];
  const more = new Map<string, number>();
  for (const refusal of refusals.filter(({ task }) => known.has(task))) {
    const nth = (counts.get(refusal.task) ?? 0) + 1;
    counts.set(refusal.task, nth);
    if (nth <= refusalsMax) lines.push({ ...refusal, nth });
    else more.set(refusal.task, (more.get(refusal.task) ?? 0) + 1);
  }
  const raised = [...more].map(([task, times]) => ({ task, more: times }));
  await Promise.all([
    ask(client, insertRefusals, [jsonRows(lines)]),
    ask(client, raiseRefusals, [jsonRows(raised), refusalsMax]),
  ]);
}
