// What workers are told to do.

import type { ClientBase } from "pg";
import type { CommandRecord } from "../../ports/records.ts";
import { type Page, type Reads, totalMax } from "../../ports/store-reads.ts";
import { jsonRows } from "./arrays.ts";
import { ask, type Statement } from "./statement.ts";
import { totalOf } from "./task-list.ts";
import { storable } from "./text.ts";

const commandColumns = "id, worker, type, args, told_by, note, at, expires_at, delivered_at, acked_at, answer";

// What was delivered or acknowledged stays so, since the first time.
const upsertCommands: Statement = {
  name: "upsert_commands",
  text: `
    insert into worker_command (${commandColumns})
    select ${commandColumns}
    from json_to_recordset($1::json) r (
      id text, worker text, type text, args text, told_by text, note text, at bigint, expires_at bigint,
      delivered_at bigint, acked_at bigint, answer text
    )
    order by id
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
      answer = case when worker_command.acked_at is null then excluded.answer else worker_command.answer end,
      acked_at = coalesce(worker_command.acked_at, excluded.acked_at)`,
};

const selectCommand: Statement = {
  name: "select_command",
  text: `
    select ${commandColumns}
    from worker_command
    where id = $1`,
};

const selectCommands: Statement = {
  name: "select_commands",
  text: `
    select ${commandColumns}
    from worker_command
    where worker = $1
    order by id desc
    limit $2
    offset $3`,
};

const countCommands: Statement = {
  name: "count_commands",
  text: `
    select count(*)
    from (select from worker_command where worker = $1 limit $2) found`,
};

export const findCommands: Statement = {
  name: "find_commands",
  text: `
    select ${commandColumns}
    from worker_command
    where worker = any ($1::text[])
      and acked_at is null
      and (expires_at is null or expires_at > $2)
    order by id
    limit $3`,
};

type Text = string | null;
type Whole = number | null;
export type CommandTuple = readonly [
  ...[id: string, worker: string, type: string, args: Text, by: string, note: Text, at: number],
  ...[expiresAt: Whole, deliveredAt: Whole, ackedAt: Whole, answer: Text],
];

export async function writeCommands(client: ClientBase, commands: readonly CommandRecord[]): Promise<void> {
  const last = [...new Map(commands.map((command) => [command.id, command])).values()];
  const rows = last.map(({ by, expiresAt, deliveredAt, ackedAt, ...command }) => ({
    ...command,
    ...{ told_by: by, expires_at: expiresAt, delivered_at: deliveredAt, acked_at: ackedAt },
  }));
  await ask(client, upsertCommands, [jsonRows(rows)]);
}

export async function readCommand(client: ClientBase, { id }: { readonly id: string }): Promise<CommandRecord | null> {
  const [row] = await ask<CommandTuple>(client, selectCommand, [storable(id)]);
  return row === undefined ? null : commandOf(row);
}

export async function readCommands(
  client: ClientBase,
  { worker, limit, offset }: Reads["commands"]["query"],
): Promise<Page<CommandRecord>> {
  const id = storable(worker);
  const [rows, [total]] = await Promise.all([
    ask<CommandTuple>(client, selectCommands, [id, limit, offset]),
    ask<[number]>(client, countCommands, [id, totalMax + 1]),
  ]);
  return { items: rows.map(commandOf), ...totalOf(total?.[0] as number) };
}

export function commandOf(tuple: CommandTuple): CommandRecord {
  const [id, worker, type, args, by, note, at, expiresAt, deliveredAt, ackedAt, answer] = tuple;
  return { id, worker, type, args, by, note, at, expiresAt, deliveredAt, ackedAt, answer };
}
