// A look at some of the tasks for those that are picked: ids along the shortest way, what columns say of them in one statement,
// what texts say by the rules themselves, a few at a time, because others wait for this thread.

import type { ClientBase } from "pg";
import { leftToCheck, stretchOf, waysTo } from "../../core/task-paths.ts";
import { type Condition, isTextRule, type TaskPick, type TextRule, textsSay } from "../../core/task-pick.ts";
import type { Failure, TaskState } from "../../core/task-row.ts";
import type { TaskRecord } from "../../ports/records.ts";
import { type FoundTask, noPayload, type Scanned, type TaskScan } from "../../ports/store-reads.ts";
import { plainArray } from "./arrays.ts";
import { readTasks } from "./read-tasks.ts";
import { type RecordTuple, recordColumns, recordOf } from "./rows.ts";
import { ask, type Statement, unprepared } from "./statement.ts";
import { stroll } from "./task-paths.ts";
import { whereOf } from "./task-rules.ts";

/** How many tasks are checked at once; fewer where their payloads or results have to be read. */
const checkedMax = 1_000;
const readMax = 200;

/** So much text is read at once: it is parsed on the thread that does everything else as well. */
const textBytesMax = 2 * 2 ** 20;

type Checked = readonly [
  ...[id: string, state: TaskState | null, isRead: boolean, lane: number],
  ...[error: string | null, payload: string, result: string | null],
];

type Picked = readonly [id: string, state: TaskState | null, ...rest: unknown[]];

export async function taskScan(client: ClientBase, query: TaskScan): Promise<Scanned> {
  const { pick, before, rows, limit, want } = query;
  const { way, ids, isEnd } = await stroll(client, waysTo(pick), stretchOf(pick, before), rows);
  const left = leftToCheck(pick, way);
  const step = left.conditions.some(readsTexts) ? readMax : checkedMax;
  const found: FoundTask[] = [];
  let count = 0;
  for (let at = 0; at < ids.length; at += step) {
    const { all, unread } = await check(client, ids.slice(at, at + step), left, want === "states");
    const picked = all.slice(0, limit - count);
    count += picked.length;
    // One that was pruned meanwhile counts: it is behind us.
    found.push(...(await told(client, picked, want)));
    if (count < limit && unread === null) continue;
    if (count < limit) {
      const seen = ids.indexOf(unread as string);
      return { found, through: ids[seen - 1] as string, seen };
    }
    const through = picked.at(-1)?.[0] as string;
    return { found, through: isEnd && through === ids.at(-1) ? null : through, seen: ids.indexOf(through) + 1 };
  }
  return { found, through: isEnd ? null : (ids.at(-1) ?? null), seen: ids.length };
}

function readsTexts({ kind }: Condition): boolean {
  return kind === "input" || kind === "output";
}

interface Check {
  readonly all: readonly Picked[];
  /** The first whose texts were too much for this time; never the first of all. */
  readonly unread: string | null;
}

/** Each task is looked up by its key, whatever the planner thinks of the others, and only in tables that are asked something. */
async function check(client: ClientBase, ids: readonly string[], pick: TaskPick, states: boolean): Promise<Check> {
  if (pick.conditions.length === 0 && !states) return { all: ids.map((id) => [id, null]), unread: null };
  const texts = pick.conditions.filter((condition): condition is Condition & TextRule => isTextRule(condition));
  const { sql, values } = whereOf(pick, [plainArray(ids)]);
  const columns = columnsFor(new Set(texts.map(({ kind }) => kind)), states);
  const asks = (table: string): boolean => `${columns} ${sql}`.includes(`${table}.`);
  const statement = unprepared(`
    select ${columns}
    from unnest($1::uuid[]) with ordinality n (id, nth)
    ${asks("t") ? "cross join lateral (select * from task where id = n.id limit 1) t" : ""}
    ${asks("o") ? "left join lateral (select * from open_task where id = n.id limit 1) o on true" : ""}
    ${asks("x") ? "left join lateral (select * from outcome where task = n.id limit 1) x on true" : ""}
    where ${sql}
    order by n.nth`);
  const rows = await ask<Checked>(client, statement, values);
  const unread = rows.find(([, , isRead]) => !isRead)?.[0] ?? null;
  return { all: texts.length === 0 ? rows : rows.filter((row) => row[2] && isSaid(texts, row)), unread };
}

function columnsFor(kinds: ReadonlySet<TextRule["kind"]>, states: boolean): string {
  const hasErrors = kinds.has("word") || kinds.has("error") || kinds.has("codes");
  const read = [
    ...(hasErrors ? ["x.error"] : []),
    ...(kinds.has("input") ? ["t.payload"] : []),
    ...(kinds.has("output") ? ["x.result"] : []),
  ];
  // How long a text is stands beside it; what is cut off here is never unpacked.
  const bytes = read.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
  const before = `sum(${bytes}) over (order by n.nth) - (${bytes})`;
  const isRead = read.length === 0 ? "true" : `${before} < ${textBytesMax}`;
  return [
    "n.id",
    states ? "coalesce(o.state, x.state)" : "null",
    isRead,
    kinds.has("word") ? "t.lane" : "0",
    hasErrors ? `case when x.state <> 'completed' and ${isRead} then x.error end` : "null",
    kinds.has("input") ? `case when ${isRead} then t.payload else '' end` : "''",
    kinds.has("output") ? `case when ${isRead} then x.result end` : "null",
  ].join(", ");
}

function isSaid(texts: readonly (Condition & TextRule)[], row: Checked): boolean {
  const [, , , lane, error, payload, result] = row;
  const failure = error === null ? null : (JSON.parse(error) as Failure);
  const said = { lane, error: failure?.message ?? null, code: failure?.code ?? null, payload, result };
  return texts.every((rule) => textsSay(rule, said) !== rule.not);
}

async function told(
  client: ClientBase,
  picked: readonly Picked[],
  want: TaskScan["want"],
): Promise<readonly FoundTask[]> {
  if (want === "ids" || want === "states") return picked.map(([id, state]) => ({ id, state, record: null }));
  const ids = picked.map(([id]) => id);
  if (ids.length === 0) return [];
  const records = want === "whole" ? await readTasks(client, ids) : await readBare(client, ids);
  return records.map((record) => ({ id: record.card.id, state: record.row.state, record }));
}

const selectBare: Statement = unprepared(`
    select ${recordColumns.replace("t.payload", `'${noPayload}'`).replace("x.result", "null")}
    from unnest($1::uuid[]) with ordinality n (id, nth)
    cross join lateral (select * from task where id = n.id limit 1) t
    left join lateral (select * from open_task where id = n.id limit 1) o on true
    left join lateral (select * from outcome where task = n.id limit 1) x on true
    order by n.nth`);

async function readBare(client: ClientBase, ids: readonly string[]): Promise<readonly TaskRecord[]> {
  const rows = await ask<RecordTuple>(client, selectBare, [plainArray(ids)]);
  return rows.map(recordOf).map((record) => {
    const { outcome } = record;
    if (outcome?.error == null) return record;
    return { ...record, outcome: { ...outcome, error: { ...outcome.error, details: null } } };
  });
}
