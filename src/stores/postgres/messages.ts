// Tasks that a message broker is to be told of, and those it was told of.

import type { ClientBase } from "pg";
import type { Message } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import { isTaskId, plainArray } from "./arrays.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { patiently } from "./patience.ts";
import { ask, type Statement } from "./statement.ts";

// What is said of a version that has passed would never be asked for. Written in the order of the array, which is that of
// ids: two servers that confirm the same tasks do not wait in a circle.
const confirmMessages: Statement = {
  name: "confirm_messages",
  text: `
    insert into message (task, version, at)
    select n.task, n.version, $3::bigint
    from unnest($1::uuid[], $2::integer[]) n (task, version)
    join open_task o on o.id = n.task
    where o.version = n.version
    on conflict (task) do update
    set version = excluded.version, at = excluded.at
    where message.version <= excluded.version`,
};

// Both walk along the ready tasks of the lane and look up each by its key.

export const findUnpublished: Statement = {
  name: "find_unpublished",
  text: `
    select o.id, o.version
    from open_task o
    where o.lane = $1
      and o.state = 'pending'
      and o.run_at is null
      and o.active_at < $2
      and not exists (select from message m where m.task = o.id and m.version = o.version)
    order by o.place
    limit $3`,
};

export const findUnheeded: Statement = {
  name: "find_unheeded",
  text: `
    select o.id, o.version
    from open_task o
    where o.lane = $1
      and o.state = 'pending'
      and o.run_at is null
      and exists (select from message m where m.task = o.id and m.version = o.version and m.at < $2)
    order by o.place
    limit $3`,
};

// Looks at a part of the rows, in order of task. Answers the last task of the part, if there may be more behind it.
const pruneMessages: Statement = {
  name: "prune_messages",
  text: `
    with part as materialized (
      select task
      from message
      where task > $1
      order by task
      limit $2
    ),
    gone as (
      delete from message m
      using part p
      where m.task = p.task
        and not exists (select from open_task o where o.id = p.task)
    )
    select task
    from part
    offset $2 - 1`,
};

const selectMessage: Statement = {
  name: "select_message",
  text: `
    select m.version
    from message m
    join open_task o on o.id = m.task
    where m.task = $1`,
};

export async function readMessage(client: ClientBase, { task }: { readonly task: string }): Promise<number | null> {
  if (!isTaskId(task)) return null;
  const [row] = await ask<[version: number]>(client, selectMessage, [task]);
  return row?.[0] ?? null;
}

export async function confirm(database: Database, messages: readonly Message[], at: number): Promise<void> {
  // Each version once: of one task only the present one is written, whichever else is named.
  const named = new Map(messages.map((message) => [`${message.task} ${message.version}`, message]));
  const sorted = [...named.values()].filter(({ task }) => isTaskId(task)).sort((a, b) => (a.task < b.task ? -1 : 1));
  if (sorted.length === 0) return;
  const values = [plainArray(sorted.map(({ task }) => task)), plainArray(sorted.map(({ version }) => version)), at];
  // What was confirmed may be confirmed again.
  await patiently(database, () => lend(database.writers, (client) => ask(client, confirmMessages, values)));
}

export function unpublishedValues({ lane, activeBefore, limit }: Find["unpublished"]["query"]): number[] {
  return [lane, activeBefore, limit];
}

export function unheededValues({ lane, confirmedBefore, limit }: Find["unheeded"]["query"]): number[] {
  return [lane, confirmedBefore, limit];
}

export type MessageTuple = readonly [task: string, version: number];

export function messageOf([task, version]: MessageTuple): Message {
  return { task, version };
}

const first = "00000000-0000-0000-0000-000000000000";
const partRows = 5_000;
const partsMax = 200;

/** Each part is committed by itself: whatever goes, nobody could see it any more. */
export async function dropMessages(database: Database): Promise<void> {
  let after = first;
  for (let part = 1; part <= partsMax; part += 1) {
    const values = [after, partRows];
    const [last] = await patiently(database, () =>
      lend(database.writers, (client) => ask<[task: string]>(client, pruneMessages, values)),
    );
    if (last === undefined) return;
    [after] = last;
  }
}
