// Which tasks a query picks: the rule. Names are lanes and ids by now, and times are counted from one moment. Stores push down
// what their indexes know; what they answer is exactly what is picked here, and the contract suite holds them to it.

import { type JsonPlace, matchesJson } from "./json-value.ts";
import { type Outcome, type Stage, stageOf, type TaskRow } from "./task-row.ts";

/** What texts say is told by these rules alone: no two databases fold letters or read JSON alike. */
export type TextRule =
  /** Of one of these lanes, or an error with this text in it. */
  | { readonly kind: "word"; readonly lanes: readonly number[]; readonly text: string }
  | { readonly kind: "error"; readonly text: string }
  | { readonly kind: "codes"; readonly codes: readonly string[] }
  | ({ readonly kind: "input" | "output" } & JsonPlace);

/** What columns say. Bounds are inclusive, but those of times are not. */
export type ColumnRule =
  | { readonly kind: "lanes"; readonly lanes: readonly number[] }
  | { readonly kind: "stages"; readonly stages: readonly Stage[] }
  | { readonly kind: "rooms"; readonly rooms: readonly string[] }
  | { readonly kind: "submitters"; readonly submitters: readonly string[] }
  /** In their hands, or ended in them. */
  | { readonly kind: "workers"; readonly workers: readonly string[] }
  | { readonly kind: "parents" | "retries"; readonly ids: readonly string[] }
  | { readonly kind: "prefixes"; readonly prefixes: readonly string[] }
  /** Not below `from`, and below `below`: by their ids tasks are in order of their making. */
  | { readonly kind: "made"; readonly from: string | null; readonly below: string | null }
  | { readonly kind: "fingerprints"; readonly fingerprints: readonly string[] }
  | {
      readonly kind: "attempt" | "losses" | "priority";
      readonly least: number | null;
      readonly most: number | null;
    }
  | { readonly kind: "ended"; readonly after: number | null; readonly before: number | null }
  | { readonly kind: "ran" | "waited"; readonly overMs: number | null; readonly underMs: number | null };

export type Rule = TextRule | ColumnRule;
export type Condition = Rule & { readonly not: boolean };

export interface TaskPick {
  /** From when on what has not ended counts its time. */
  readonly now: number;
  /** All of them. */
  readonly conditions: readonly Condition[];
}

/** A task as far as it is looked at; what stores call a record. */
export interface PickedFrom {
  readonly card: {
    readonly id: string;
    readonly lane: number;
    readonly room: string;
    readonly priority: number;
    readonly parent: string | null;
    readonly retryOf: string | null;
    readonly submitter: string | null;
    readonly createdAt: number;
  };
  readonly row: TaskRow;
  readonly payload: string;
  readonly outcome: (Outcome & { readonly fingerprint?: string | null }) | null;
}

/** The texts of a task. */
export interface TaskTexts {
  readonly lane: number;
  /** Why it failed or was cancelled: what came along with a success is no error. */
  readonly error: string | null;
  readonly code: string | null;
  readonly payload: string;
  readonly result: string | null;
}

export function isPicked(task: PickedFrom, { conditions, now }: TaskPick): boolean {
  return conditions.every((condition) => holds(condition, task, now) !== condition.not);
}

const textKinds: readonly Rule["kind"][] = ["word", "error", "codes", "input", "output"];

export function isTextRule<T extends Rule>(rule: T): rule is Extract<T, TextRule> {
  return textKinds.includes(rule.kind);
}

function holds(rule: Rule, task: PickedFrom, now: number): boolean {
  return isTextRule(rule) ? textsSay(rule, textsOf(task)) : columnsSay(rule, task, now);
}

export function textsSay(rule: TextRule, texts: TaskTexts): boolean {
  switch (rule.kind) {
    case "word":
      return rule.lanes.includes(texts.lane) || hasPart(texts.error, rule.text);
    case "error":
      return hasPart(texts.error, rule.text);
    case "codes":
      return texts.code !== null && rule.codes.includes(texts.code);
    case "input":
      return matchesJson(texts.payload, rule);
    case "output":
      return texts.result !== null && matchesJson(texts.result, rule);
  }
}

function hasPart(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) ?? false;
}

function textsOf({ card, payload, outcome }: PickedFrom): TaskTexts {
  const error = outcome === null || outcome.state === "completed" ? null : outcome.error;
  const [message, code] = [error?.message ?? null, error?.code ?? null];
  return { lane: card.lane, error: message, code, payload, result: outcome?.result ?? null };
}

function columnsSay(rule: ColumnRule, task: PickedFrom, now: number): boolean {
  const { card, row, outcome } = task;
  switch (rule.kind) {
    case "lanes":
      return rule.lanes.includes(card.lane);
    case "stages":
      return rule.stages.includes(stageOf(row));
    case "rooms":
      return rule.rooms.includes(card.room);
    case "submitters":
      return card.submitter !== null && rule.submitters.includes(card.submitter);
    case "workers":
      return row.worker !== null && rule.workers.includes(row.worker);
    case "parents":
      return card.parent !== null && rule.ids.includes(card.parent);
    case "retries":
      return card.retryOf !== null && rule.ids.includes(card.retryOf);
    case "prefixes":
      return rule.prefixes.some((prefix) => card.id.startsWith(prefix));
    case "made":
      return (rule.from === null || card.id >= rule.from) && (rule.below === null || card.id < rule.below);
    case "fingerprints":
      return outcome?.fingerprint != null && rule.fingerprints.includes(outcome.fingerprint);
    case "attempt":
    case "losses":
      return isWithin(row[rule.kind], rule);
    case "priority":
      return isWithin(card.priority, rule);
    case "ended":
      return outcome !== null && isBetween(outcome.finishedAt, rule.after, rule.before);
    case "ran":
      return (
        row.startedAt !== null && isBetween((outcome?.finishedAt ?? now) - row.startedAt, rule.overMs, rule.underMs)
      );
    case "waited": {
      const until = row.claimedAt ?? outcome?.finishedAt ?? now;
      return isBetween(until - card.createdAt, rule.overMs, rule.underMs);
    }
  }
}

function isWithin(value: number, { least, most }: { least: number | null; most: number | null }): boolean {
  return (least === null || value >= least) && (most === null || value <= most);
}

function isBetween(value: number, over: number | null, under: number | null): boolean {
  return (over === null || value > over) && (under === null || value < under);
}
