// The paths that looks for tasks follow: each goes along one index, from the newest task to the oldest, and reads nothing else.

import type { DatabaseSync } from "node:sqlite";
import { type Along, eachOf, type Path, type Stretch, type Stroll, strollOf, type Way } from "../../core/task-paths.ts";
import { type NamedQuery, namedQuery } from "./statement.ts";

const pathSql: Record<Along, string> = {
  all: `
  select id
  from task
  where id between :from and :to
  order by id desc
  limit +:rows`,
  lane: `
  select id
  from task
  where lane = :key and id between :from and :to
  order by id desc
  limit +:rows`,
  room: `
  select id
  from task
  where room = :key and id between :from and :to
  order by id desc
  limit +:rows`,
  parent: `
  select id
  from task
  where parent = :key and id between :from and :to
  order by id desc
  limit +:rows`,
  retry: `
  select id
  from task
  where retry_of = :key and id between :from and :to
  order by id desc
  limit +:rows`,
  pending: `
  select id
  from open_task
  where state = 'pending' and id between :from and :to
  order by id desc
  limit +:rows`,
  // Sorted, because busy tasks are never very many, and those that wait may be.
  busy: `
  select id
  from open_task indexed by open_task_busy
  where state <> 'pending' and id between :from and :to
  order by id desc
  limit +:rows`,
  held: `
  select id
  from open_task
  where worker = :key and id between :from and :to
  order by id desc
  limit +:rows`,
  ended: `
  select task
  from outcome
  where worker = :key and task between :from and :to
  order by task desc
  limit +:rows`,
  alike: `
  select task
  from outcome
  where fingerprint = :key and task between :from and :to
  order by task desc
  limit +:rows`,
  unhappy: `
  select task
  from outcome
  where state = :key and state <> 'completed' and task between :from and :to
  order by task desc
  limit +:rows`,
};

/** Ways are compared by how many tasks they have, up to this many. */
const comparedMax = 2_000;

/** Goes the shortest of some ways, for about so many tasks. */
export function taskPaths(db: DatabaseSync): (ways: readonly Way[], stretch: Stretch, rows: number) => Stroll {
  const prepared = Object.fromEntries(
    Object.entries(pathSql).map(([along, sql]) => [along, namedQuery<[string]>(db, sql)]),
  ) as Record<Along, NamedQuery<[string]>>;

  function idsAlong({ along, key }: Path, { from, to }: Stretch, rows: number): string[] {
    return prepared[along].all({ key, from, to, rows }).map(([id]) => id);
  }

  function shortest(ways: readonly Way[], stretch: Stretch): Way {
    let best = ways[0] as Way;
    let least = comparedMax;
    for (const way of ways.length === 1 ? [] : ways) {
      let count = 0;
      for (const path of way.paths) {
        if (count < least) count += idsAlong(path, stretch, least - count).length;
      }
      if (count < least) [best, least] = [way, count];
    }
    return best;
  }

  return (ways, stretch, rows) => {
    const way = shortest(ways, stretch);
    const each = eachOf(way, rows);
    return strollOf(
      way,
      way.paths.map((path) => idsAlong(path, stretch, each)),
      each,
    );
  };
}
