// The rules of core/task-pick.ts as SQL. Those of columns are mirrored exactly, which the contract suite checks; those of texts
// are decided in core alone, and here only what cannot match is left out.

import { needleOf } from "../../core/json-value.ts";
import { type Condition, isTextRule, type Rule, type TaskPick, type TextRule } from "../../core/task-pick.ts";
import { isTaskId, plainArray, textArray } from "./arrays.ts";
import type { Value } from "./statement.ts";

/** Of the task whose id is `n.id`: `task t`, and `open_task o` or `outcome x`. */
const stage = `
        case
          when o.id is null then x.state
          when o.run_at is not null then 'delayed'
          when o.state = 'pending' then 'ready'
          when o.state = 'running' and o.worker is null then 'deferred'
          else o.state
        end`;

export interface Where {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Parameters follow those that the caller has already. */
export function whereOf({ conditions, now }: TaskPick, given: readonly Value[]): Where {
  const values = [...given];
  const put = (value: Value): string => `$${values.push(value)}`;
  const parts = conditions.flatMap((condition) => partOf(condition, now, put));
  return { sql: ["true", ...parts].join("\n      and "), values };
}

type Put = (value: Value) => string;

function partOf(condition: Condition, now: number, put: Put): readonly string[] {
  // Turned round, what may match is no longer what cannot.
  if (isTextRule(condition)) return condition.not ? [] : [mayMatch(condition, put)];
  return [`(${ruleSql(condition, now, put)}) is ${condition.not ? "not true" : "true"}`];
}

function mayMatch(rule: TextRule, put: Put): string {
  const hasError = "(x.error is not null and x.state <> 'completed')";
  switch (rule.kind) {
    case "word":
      return `(${anyLane(rule.lanes, put)} or ${hasError})`;
    case "error":
    case "codes":
      return hasError;
    case "input":
      return mayHold("t.payload", needleOf(rule), put);
    case "output":
      return `x.result is not null and ${mayHold("x.result", needleOf(rule), put)}`;
  }
}

function mayHold(column: string, needle: string | null, put: Put): string {
  return needle === null
    ? "true"
    : `(position(${put(needle)}::text in ${column}) > 0 or position('\\' in ${column}) > 0)`;
}

function ruleSql(rule: Exclude<Rule, TextRule>, now: number, put: Put): string {
  switch (rule.kind) {
    case "lanes":
      return anyLane(rule.lanes, put);
    case "stages":
      return `${stage} = any (${put(textArray(rule.stages))}::text[])`;
    case "rooms":
      return `t.room = any (${put(textArray(rule.rooms))}::text[])`;
    case "submitters":
      return `t.submitter = any (${put(textArray(rule.submitters))}::text[])`;
    case "workers":
      return `coalesce(o.worker, x.worker) = any (${put(textArray(rule.workers))}::text[])`;
    case "parents":
      return `t.parent = any (${put(plainArray(rule.ids.filter(isTaskId)))}::uuid[])`;
    case "retries":
      return `t.retry_of = any (${put(plainArray(rule.ids.filter(isTaskId)))}::uuid[])`;
    case "prefixes":
      return `exists (
        select
        from unnest(${put(textArray(rule.prefixes))}::text[]) p (prefix)
        where starts_with(n.id::text, p.prefix)
      )`;
    case "made":
      return bounds("n.id", [">=", rule.from], ["<", rule.below], put, "uuid");
    case "fingerprints":
      return `x.fingerprint = any (${put(textArray(rule.fingerprints))}::text[])`;
    case "attempt":
    case "losses":
      return bounds(`coalesce(o.${rule.kind}, x.${rule.kind})`, [">=", rule.least], ["<=", rule.most], put);
    case "priority":
      return bounds("t.priority", [">=", rule.least], ["<=", rule.most], put);
    case "ended":
      return bounds("x.finished_at", [">", rule.after], ["<", rule.before], put);
    case "ran": {
      const ran = `coalesce(x.finished_at, ${put(now)}::bigint) - coalesce(o.started_at, x.started_at)`;
      return bounds(ran, [">", rule.overMs], ["<", rule.underMs], put);
    }
    case "waited": {
      const until = `coalesce(o.claimed_at, x.claimed_at, x.finished_at, ${put(now)}::bigint)`;
      return bounds(`${until} - t.created_at`, [">", rule.overMs], ["<", rule.underMs], put);
    }
  }
}

type Bound = readonly [sign: string, value: string | number | null];

/** Where there is no bound, there must still be a value. */
function bounds(value: string, low: Bound, high: Bound, put: Put, type = "bigint"): string {
  const parts = [low, high].flatMap(([sign, bound]) =>
    bound === null ? [] : `${value} ${sign} ${put(bound)}::${type}`,
  );
  return parts.length === 0 ? `${value} is not null` : parts.join(" and ");
}

function anyLane(lanes: readonly number[], put: Put): string {
  return `t.lane = any (${put(plainArray(lanes))}::integer[])`;
}
