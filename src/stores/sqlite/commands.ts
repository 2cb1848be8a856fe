// What workers are told to do.

import type { DatabaseSync } from "node:sqlite";
import type { CommandRecord } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import type { Page, Reads } from "../../ports/store-reads.ts";
import { pageOf } from "./read-tasks.ts";
import { change, query } from "./statement.ts";

const commandColumns = "id, worker, type, args, told_by, note, at, expires_at, delivered_at, acked_at, answer";

// What was delivered or acknowledged stays so, since the first time.
const upsertCommand = `
  insert into worker_command (${commandColumns})
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (id) do update
  set
    worker = excluded.worker,
    type = excluded.type,
    args = excluded.args,
    told_by = excluded.told_by,
    note = excluded.note,
    at = excluded.at,
    expires_at = excluded.expires_at,
    delivered_at = coalesce(worker_command.delivered_at, excluded.delivered_at),
    answer = iif(worker_command.acked_at is null, excluded.answer, worker_command.answer),
    acked_at = coalesce(worker_command.acked_at, excluded.acked_at)`;

const selectCommand = `
  select ${commandColumns}
  from worker_command
  where id = ?`;

const selectCommands = `
  select ${commandColumns}
  from worker_command
  where worker = ?
  order by id desc
  limit +? offset +?`;

const countCommands = `
  select count(*)
  from worker_command
  where worker = ?`;

const selectOpen = `
  select ${commandColumns}
  from worker_command
  where worker in (select value from json_each(?)) and acked_at is null and (expires_at is null or expires_at > ?)
  order by id
  limit +?`;

type Text = string | null;
type Whole = number | null;
type CommandValues = [
  ...[id: string, worker: string, type: string, args: Text, by: string, note: Text, at: number],
  ...[expiresAt: Whole, deliveredAt: Whole, ackedAt: Whole, answer: Text],
];

export function commandWriter(db: DatabaseSync): (command: CommandRecord) => void {
  const upsert = change(db, upsertCommand);
  return ({ id, worker, type, args, by, note, at, expiresAt, deliveredAt, ackedAt, answer }) =>
    void upsert(id, worker, type, args, by, note, at, expiresAt, deliveredAt, ackedAt, answer);
}

export function commandReader(db: DatabaseSync): (query: { readonly id: string }) => CommandRecord | null {
  const select = query<CommandValues>(db, selectCommand);
  return ({ id }) => {
    const values = select.get(id);
    return values === undefined ? null : commandOf(values);
  };
}

export function commandListReader(db: DatabaseSync): (query: Reads["commands"]["query"]) => Page<CommandRecord> {
  const select = query<CommandValues>(db, selectCommands);
  const count = query<[number]>(db, countCommands);
  return ({ worker, limit, offset }) =>
    pageOf(select.all(worker, limit, offset).map(commandOf), count.get(worker)?.[0] ?? 0);
}

export function commandFinder(db: DatabaseSync): (query: Find["commands"]["query"]) => CommandRecord[] {
  const select = query<CommandValues>(db, selectOpen);
  return ({ workers, now, limit }) => select.all(JSON.stringify(workers), now, limit).map(commandOf);
}

function commandOf(values: CommandValues): CommandRecord {
  const [id, worker, type, args, by, note, at, expiresAt, deliveredAt, ackedAt, answer] = values;
  return { id, worker, type, args, by, note, at, expiresAt, deliveredAt, ackedAt, answer };
}
