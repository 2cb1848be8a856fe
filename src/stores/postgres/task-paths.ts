// The paths that looks for tasks follow: each goes along one index, from the newest task to the oldest, and reads nothing else.
// All paths of a way are asked for in one statement: a task that goes from one to another meanwhile is met on one of them.

import type { ClientBase } from "pg";
import { type Along, eachOf, type Stretch, type Stroll, strollOf, type Way } from "../../core/task-paths.ts";
import { isTaskId, plainArray, textArray } from "./arrays.ts";
import { ask, unprepared, type Value } from "./statement.ts";

/** Told which parameter holds the keys. */
type Select = (keys: string) => string;

const selects: Record<Along, Select> = {
  all: single("task", "id", "true"),
  pending: single("open_task", "id", "state = 'pending'"),
  // Sorted, because busy tasks are never very many, and those that wait may be.
  busy: single("(select id from open_task where state <> 'pending' offset 0) busy", "id", "true"),
  lane: keyed("integer", "task", "lane, id", "true"),
  room: keyed("text", "task", "room, id", "true"),
  parent: keyed("uuid", "task", "parent, id", "parent is not null"),
  retry: keyed("uuid", "task", "retry_of, id", "retry_of is not null"),
  held: keyed("text", "open_task", "worker, id", "worker is not null"),
  ended: keyed("text", "outcome", "worker, task", "worker is not null"),
  alike: keyed("text", "outcome", "fingerprint, task", "fingerprint is not null"),
  unhappy: keyed("text", "outcome", "state, task", "state <> 'completed'"),
};

function single(from: string, id: string, where: string): Select {
  return () => `
      select 1 as nth, ${id} as id
      from ${from}
      where ${where}
        and ${id} between $1 and $2
      order by ${id} desc
      limit $3`;
}

/**
 * The bounds are those of the index as a whole, and so is the order: were it asked for tasks with this key in the order of their
 * ids, PostgreSQL might walk through the ids of all tasks until it has met enough with the key.
 */
function keyed(type: string, from: string, index: string, where: string): Select {
  const [key, id] = index.split(", ");
  return (keys) => `
      select k.nth, p.id
      from unnest(${keys}::${type}[]) with ordinality k (key, nth)
      cross join lateral (
        select ${id} as id
        from ${from}
        where ${where}
          and (${index}) between (k.key, $1::uuid) and (k.key, $2::uuid)
        order by ${key} desc, ${id} desc
        limit $3
      ) p`;
}

/** Ways are compared by how many tasks they have, up to this many. */
const comparedMax = 2_000;

/** Goes the shortest of some ways, for about so many tasks. */
export async function stroll(
  client: ClientBase,
  ways: readonly Way[],
  stretch: Stretch,
  rows: number,
): Promise<Stroll> {
  const way = await shortest(client, ways, stretch);
  const each = eachOf(way, rows);
  return strollOf(way, await idsAlong(client, way, stretch, each), each);
}

async function shortest(client: ClientBase, ways: readonly Way[], stretch: Stretch): Promise<Way> {
  if (ways.length === 1) return ways[0] as Way;
  const counts = await Promise.all(
    ways.map(async (way) => {
      const paths = await idsAlong(client, way, stretch, eachOf(way, comparedMax));
      return paths.reduce((sum, { length }) => sum + length, 0);
    }),
  );
  const least = Math.min(...counts);
  return ways[least >= comparedMax ? 0 : counts.indexOf(least)] as Way;
}

/** For each path the ids it begins with. */
async function idsAlong(
  client: ClientBase,
  { paths: all }: Way,
  { from, to }: Stretch,
  each: number,
): Promise<readonly (readonly string[])[]> {
  if (all.length === 0) return [];
  const values: Value[] = [from, to, each];
  const groups = [...Map.groupBy(all, ({ along }) => along)];
  const parts = groups.map(([along, paths], group) => {
    const keys = keysOf(
      along,
      paths.map(({ key }) => key),
    );
    return `
    select ${group}, p.nth, p.id
    from (${selects[along](keys === null ? "" : `$${values.push(keys)}`)}
    ) p`;
  });
  type Met = [group: number, nth: number, id: string];
  const rows = await ask<Met>(client, unprepared(parts.join("\n    union all")), values);
  const ids = groups.map(([, paths]) => paths.map((): string[] => []));
  for (const [group, nth, id] of rows) ids[group]?.[nth - 1]?.push(id);
  return ids.flat();
}

/** Null where there is only one path along it. */
function keysOf(along: Along, keys: readonly (string | number)[]): Value {
  switch (along) {
    case "all":
    case "pending":
    case "busy":
      return null;
    case "lane":
      return plainArray(keys);
    case "parent":
    case "retry":
      return plainArray(keys.map((key) => (isTaskId(String(key)) ? key : null)));
    default:
      return textArray(keys as readonly string[]);
  }
}
