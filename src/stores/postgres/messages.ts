// Tasks that a message broker is to be told of, and those it was told of.

import type { ClientBase } from "pg";
import type { Message } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { isTaskId, plainArray } from "./arrays.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { patiently } from "./patience.ts";
import { ask, type Statement } from "./statement.ts";

// Mirrors lastChange of core/ready-at.ts; the contract test holds the two together. Only a task that has been counted on is
// looked up in the history: for all others each move is a change.
const ofLastChange = (column: "version" | "at", present: string): string => `
      case
        when o.children is null then ${present}
        else (
          select e.${column}
          from task_event e
          where e.task = o.id
            and e.type <> 'task.counted'
          order by e.version desc
          limit 1
        )
      end`;
const changedIn = ofLastChange("version", "o.version");
const changedAt = ofLastChange("at", "o.active_at");

// What is said of a task as it was before its last change would never be asked for. Written in the order of the array, which
// is that of ids: two servers that confirm the same tasks do not wait in a circle.
const confirmMessages: Statement = {
  name: "confirm_messages",
  text: `
    insert into message (task, version, at)
    select n.task, n.version, $3::bigint
    from unnest($1::uuid[], $2::integer[]) n (task, version)
    join open_task o on o.id = n.task
    where o.version = n.version
      or (o.state = 'pending' and n.version < o.version and n.version >= ${changedIn})
    on conflict (task) do update
    set version = excluded.version, at = excluded.at
    where message.version <= excluded.version`,
};

// All walk along the ready tasks of the lane and look up each by its key.

export const findUnpublished: Statement = {
  name: "find_unpublished",
  text: `
    select o.id, o.version
    from open_task o
    where o.lane = $1
      and o.state = 'pending'
      and o.run_at is null
      and ${changedAt} < $2
      and not exists (select from message m where m.task = o.id and m.version >= ${changedIn})
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
      and exists (select from message m where m.task = o.id and m.at < $2 and m.version >= ${changedIn})
    order by o.place
    limit $3`,
};

const countToldInFront: Statement = {
  name: "count_told_in_front",
  text: `
    select count(f.at)::integer
    from (
      select m.at
      from open_task o
      left join message m on m.task = o.id and m.version >= ${changedIn}
      where o.lane = $1
        and o.state = 'pending'
        and o.run_at is null
        and (m.at is null or m.at >= $2)
      order by o.place
      limit $3
    ) f`,
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
    where m.task = $1
      and m.version >= ${changedIn}`,
};

export async function readMessage(client: ClientBase, { task }: { readonly task: string }): Promise<boolean> {
  if (!isTaskId(task)) return false;
  return (await ask(client, selectMessage, [task])).length > 0;
}

export async function readToldInFront(
  client: ClientBase,
  { lane, confirmedSince, among }: Reads["toldInFront"]["query"],
): Promise<number> {
  const [row] = await ask<[count: number]>(client, countToldInFront, [lane, confirmedSince, among]);
  return row?.[0] ?? 0;
}

export async function confirm(database: Database, messages: readonly Message[], at: number): Promise<void> {
  const sorted = messages.filter(({ task }) => isTaskId(task)).sort((a, b) => (a.task < b.task ? -1 : 1));
  for (const round of onceEach(sorted)) {
    const values = [plainArray(round.map(({ task }) => task)), plainArray(round.map(({ version }) => version)), at];
    // What was confirmed may be confirmed again.
    await patiently(database, () => lend(database.writers, (client) => ask(client, confirmMessages, values)));
  }
}

/** In as many rounds as the task is named that is named most often: a statement writes no row twice. */
function onceEach(messages: readonly Message[]): readonly (readonly Message[])[] {
  const rounds: Message[][] = [];
  const named = new Map<string, number>();
  for (const message of messages) {
    const nth = named.get(message.task) ?? 0;
    named.set(message.task, nth + 1);
    const round = rounds[nth];
    if (round === undefined) rounds.push([message]);
    else round.push(message);
  }
  return rounds;
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
