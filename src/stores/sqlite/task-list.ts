// Lists of tasks, newest first: one or more walks along an index, merged.

import type { DatabaseSync } from "node:sqlite";
import type { TaskRecord } from "../../ports/records.ts";
import { type Page, type PageQuery, type TaskFilter, totalMax } from "../../ports/store-reads.ts";
import { firstOf, type Source } from "./merge.ts";
import { pageOf, taskReader } from "./read-tasks.ts";
import type { Value } from "./statement.ts";
import { taskWalks, type Walk } from "./task-walks.ts";

/** After every id. */
const end = "\u{10ffff}";

/** How many ids are read at once where walks are merged. */
const sliceMax = 100;

export function taskListReader(db: DatabaseSync): (query: TaskFilter & PageQuery) => Page<TaskRecord> {
  const walksOf = taskWalks(db);
  const tasks = taskReader(db);

  return (query) => {
    const { limit, offset } = query;
    const walks = walksOf(query);
    const values = filterValues(query);
    const wanted = offset + limit;
    const slice = walks.length === 1 ? wanted : Math.min(wanted, sliceMax);
    const sources = walks.map((walk) => idsAlong(walk, values, slice));
    const ids = firstOf(sources, (a, b) => a > b, wanted);
    return pageOf(tasks(ids.slice(offset)), countAlong(walks, values));
  };
}

type Values = Readonly<Record<string, Value>>;

function filterValues({ rooms, lanes, state, parent, worker }: TaskFilter): Values {
  return {
    rooms: rooms === undefined ? null : JSON.stringify(rooms),
    lanes: lanes === undefined ? null : JSON.stringify(lanes),
    state: state ?? null,
    parent: parent ?? null,
    worker: worker ?? null,
  };
}

function idsAlong({ ids, key }: Walk, values: Values, slice: number): Source<string> {
  let rows: [string][] = [];
  let at = 0;
  let before = end;
  let more = true;
  return () => {
    if (at === rows.length && more) {
      rows = ids.all({ ...values, key, before, limit: slice });
      more = rows.length === slice;
      before = rows.at(-1)?.[0] ?? before;
      at = 0;
    }
    const row = rows[at];
    at += 1;
    return row?.[0];
  };
}

/** The true number, or one more than totalMax. */
function countAlong(walks: readonly Walk[], values: Values): number {
  let count = 0;
  for (const walk of walks) {
    if (count > totalMax) break;
    count += walk.count.get({ ...values, key: walk.key, before: end, limit: totalMax + 1 - count })?.[0] ?? 0;
  }
  return count;
}
