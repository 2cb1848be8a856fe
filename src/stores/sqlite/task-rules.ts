// The rules of core/task-pick.ts as SQL. Those of columns are mirrored exactly, which the contract suite checks; those of texts
// are decided in core alone, and here only what cannot match is left out.

import { needleOf } from "../../core/json-value.ts";
import { type Condition, isTextRule, type Rule, type TaskPick, type TextRule } from "../../core/task-pick.ts";
import type { Value } from "./statement.ts";

/** Of the task whose id is `n.value`: `task t`, and `open_task o` or `outcome r`. */
const stage = `
    case
      when o.id is null then r.state
      when o.run_at is not null then 'delayed'
      when o.state = 'pending' then 'ready'
      when o.state = 'running' and o.worker is null then 'deferred'
      else o.state
    end`;

export interface Where {
  readonly sql: string;
  readonly values: Readonly<Record<string, Value>>;
}

export function whereOf({ conditions, now }: TaskPick): Where {
  const values: Record<string, Value> = { now };
  const put = (value: Value): string => {
    const name = `v${Object.keys(values).length}`;
    values[name] = value;
    return `:${name}`;
  };
  const parts = conditions.flatMap((condition) => partOf(condition, put));
  return { sql: ["true", ...parts].join("\n  and "), values };
}

type Put = (value: Value) => string;

function partOf(condition: Condition, put: Put): readonly string[] {
  // Turned round, what may match is no longer what cannot.
  if (isTextRule(condition)) return condition.not ? [] : [mayMatch(condition, put)];
  return [`(${ruleSql(condition, put)}) is ${condition.not ? "not true" : "true"}`];
}

function mayMatch(rule: TextRule, put: Put): string {
  const hasError = "(r.error is not null and r.state <> 'completed')";
  switch (rule.kind) {
    case "word":
      return `(t.lane in ${listOf(rule.lanes, put)} or ${hasError})`;
    case "error":
    case "codes":
      return hasError;
    case "input":
      return mayHold("t.payload", needleOf(rule), put);
    case "output":
      return `r.result is not null and ${mayHold("r.result", needleOf(rule), put)}`;
  }
}

function mayHold(column: string, needle: string | null, put: Put): string {
  return needle === null ? "true" : `(instr(${column}, ${put(needle)}) > 0 or instr(${column}, '\\') > 0)`;
}

function ruleSql(rule: Exclude<Rule, TextRule>, put: Put): string {
  switch (rule.kind) {
    case "lanes":
      return `t.lane in ${listOf(rule.lanes, put)}`;
    case "stages":
      return `${stage} in ${listOf(rule.stages, put)}`;
    case "rooms":
      return `t.room in ${listOf(rule.rooms, put)}`;
    case "submitters":
      return `t.submitter in ${listOf(rule.submitters, put)}`;
    case "workers":
      return `coalesce(o.worker, r.worker) in ${listOf(rule.workers, put)}`;
    case "parents":
      return `t.parent in ${listOf(rule.ids, put)}`;
    case "retries":
      return `t.retry_of in ${listOf(rule.ids, put)}`;
    case "prefixes":
      return `exists (
      select 1
      from json_each(${put(JSON.stringify(rule.prefixes))}) p
      where substr(n.value, 1, length(p.value)) = p.value
    )`;
    case "made":
      return bounds("n.value", [">=", rule.from], ["<", rule.below], put);
    case "fingerprints":
      return `r.fingerprint in ${listOf(rule.fingerprints, put)}`;
    case "attempt":
    case "losses":
      return bounds(`coalesce(o.${rule.kind}, r.${rule.kind})`, [">=", rule.least], ["<=", rule.most], put);
    case "priority":
      return bounds("t.priority", [">=", rule.least], ["<=", rule.most], put);
    case "ended":
      return bounds("r.finished_at", [">", rule.after], ["<", rule.before], put);
    case "ran":
      return bounds(
        "coalesce(r.finished_at, :now) - coalesce(o.started_at, r.started_at)",
        [">", rule.overMs],
        ["<", rule.underMs],
        put,
      );
    case "waited":
      return bounds(
        "coalesce(o.claimed_at, r.claimed_at, r.finished_at, :now) - t.created_at",
        [">", rule.overMs],
        ["<", rule.underMs],
        put,
      );
  }
}

type Bound = readonly [sign: string, value: string | number | null];

/** Where there is no bound, there must still be a value. */
function bounds(value: string, low: Bound, high: Bound, put: Put): string {
  const parts = [low, high].flatMap(([sign, bound]) => (bound === null ? [] : `${value} ${sign} ${put(bound)}`));
  return parts.length === 0 ? `${value} is not null` : parts.join(" and ");
}

function listOf(values: readonly (string | number)[], put: Put): string {
  return `(select value from json_each(${put(JSON.stringify(values))}))`;
}
