// A look at some of the tasks for those that are picked: ids along the shortest way, what columns say of them in one statement,
// what texts say by the rules themselves.

import type { DatabaseSync } from "node:sqlite";
import { leftToCheck, stretchOf, waysTo } from "../../core/task-paths.ts";
import { type Condition, isTextRule, type TaskPick, type TextRule, textsSay } from "../../core/task-pick.ts";
import type { TaskState } from "../../core/task-row.ts";
import type { FoundTask, Scanned, TaskScan } from "../../ports/store-reads.ts";
import { bareTaskReader, taskReader } from "./read-tasks.ts";
import { namedQuery } from "./statement.ts";
import { taskPaths } from "./task-paths.ts";
import { whereOf } from "./task-rules.ts";

/** How many tasks are checked at once; fewer where their payloads or results have to be read. */
const checkedMax = 500;
const readMax = 100;

/** So much text is looked into at once, because others wait for this thread. */
const textLengthMax = 8 * 2 ** 20;

type Checked = [
  ...[id: string, state: TaskState | null, lane: number],
  ...[error: string | null, code: string | null, payload: string, result: string | null],
];

export function taskScanReader(db: DatabaseSync): (query: TaskScan) => Scanned {
  const stroll = taskPaths(db);
  const readers = { whole: taskReader(db), bare: bareTaskReader(db) };

  function told(picked: readonly Picked[], want: TaskScan["want"]): readonly FoundTask[] {
    if (want === "ids" || want === "states") return picked.map(([id, state]) => ({ id, state, record: null }));
    const records = readers[want](picked.map(([id]) => id));
    return records.map((record) => ({ id: record.card.id, state: record.row.state, record }));
  }

  return ({ pick, before, rows, limit, want }) => {
    const { way, ids, isEnd } = stroll(waysTo(pick), stretchOf(pick, before), rows);
    const left = leftToCheck(pick, way);
    const check = checker(db, left, want === "states");
    const step = left.conditions.some(readsTexts) ? readMax : checkedMax;
    const found: FoundTask[] = [];
    for (let at = 0; at < ids.length; at += step) {
      const { all, unread } = check(ids.slice(at, at + step));
      found.push(...told(all.slice(0, limit - found.length), want));
      if (found.length < limit && unread === null) continue;
      if (found.length < limit) {
        const seen = ids.indexOf(unread as string);
        return { found, through: ids[seen - 1] as string, seen };
      }
      const through = found.at(-1)?.id as string;
      return { found, through: isEnd && through === ids.at(-1) ? null : through, seen: ids.indexOf(through) + 1 };
    }
    return { found, through: isEnd ? null : (ids.at(-1) ?? null), seen: ids.length };
  };
}

function readsTexts({ kind }: Condition): boolean {
  return kind === "input" || kind === "output";
}

type Picked = readonly [id: string, state: TaskState | null, ...rest: unknown[]];

interface Check {
  readonly all: readonly Picked[];
  /** The first that was left because so much had been read; never the first of all. */
  readonly unread: string | null;
}

/** Statements are as different as queries: each is made for its own look, and reads only the tables it asks something of. */
function checker(db: DatabaseSync, pick: TaskPick, states: boolean): (ids: readonly string[]) => Check {
  if (pick.conditions.length === 0 && !states) return (ids) => ({ all: ids.map((id) => [id, null]), unread: null });
  const texts = pick.conditions.filter((condition): condition is Condition & TextRule => isTextRule(condition));
  const { sql, values } = whereOf(pick);
  const columns = columnsFor(new Set(texts.map(({ kind }) => kind)), states);
  const asks = (table: string): boolean => `${columns} ${sql}`.includes(`${table}.`);
  const check = namedQuery<Checked>(
    db,
    `
  select ${columns}
  from json_each(:ids) n
  ${asks("t") ? "cross join task t on t.id = n.value" : ""}
  ${asks("o") ? "left join open_task o on o.id = n.value" : ""}
  ${asks("r") ? "left join outcome r on r.task = n.value" : ""}
  where ${sql}
  order by n.rowid`,
  );
  return (ids) => {
    const all: Checked[] = [];
    let length = 0;
    // One after the other: a hundred of the largest payloads would fill the memory.
    for (const row of check.iterate({ ...values, ids: JSON.stringify(ids) })) {
      const [id, , lane, error, code, payload, result] = row;
      if (length >= textLengthMax) return { all, unread: id };
      length += payload.length + (result?.length ?? 0) + (error?.length ?? 0);
      if (texts.every((rule) => textsSay(rule, { lane, error, code, payload, result }) !== rule.not)) all.push(row);
    }
    return { all, unread: null };
  };
}

function columnsFor(kinds: ReadonlySet<TextRule["kind"]>, states: boolean): string {
  const hasErrors = kinds.has("word") || kinds.has("error") || kinds.has("codes");
  return [
    "n.value",
    states ? "coalesce(o.state, r.state)" : "null",
    kinds.has("word") ? "t.lane" : "0",
    hasErrors ? "case when r.state <> 'completed' then r.error end" : "null",
    hasErrors ? "case when r.state <> 'completed' then r.error_code end" : "null",
    kinds.has("input") ? "t.payload" : "''",
    kinds.has("output") ? "r.result" : "null",
  ].join(", ");
}
