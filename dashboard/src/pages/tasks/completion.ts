// What may follow where the caret is: names of fields, then their values.

import { quoted } from "./query-terms.ts";

export interface Suggestion {
  readonly label: string;
  readonly hint: string;
  /** The query with it, and where the caret goes. */
  readonly text: string;
  readonly caret: number;
  /** Nothing is missing any more: it can be asked. */
  readonly whole: boolean;
}

export interface Value {
  readonly value: string;
  readonly hint?: string;
}

export type Vocabulary = Readonly<Record<"job" | "room" | "worker" | "queue", readonly Value[]>>;

interface Field {
  readonly key: string;
  readonly hint: string;
}

const fields: readonly Field[] = [
  { key: "job:", hint: "by full name, * for any part" },
  { key: "state:", hint: "failed, ready, open…" },
  { key: "room:", hint: "where it was submitted" },
  { key: "worker:", hint: "by name or id" },
  { key: "submitter:", hint: "who submitted it" },
  { key: "queue:", hint: "by name" },
  { key: "error~", hint: "a part of the error" },
  { key: "code:", hint: "code of the error" },
  { key: "fingerprint:", hint: "failures that are alike" },
  { key: "input.", hint: "input.path.to=value" },
  { key: "output.", hint: "output.path.to=value" },
  { key: "age>", hint: "since it was made, as 5m" },
  { key: "age<", hint: "since it was made, as 1h" },
  { key: "ran>", hint: "how long it ran" },
  { key: "waited>", hint: "how long it waited" },
  { key: "ended<", hint: "how long ago it ended" },
  { key: "attempt>", hint: "how often it was begun" },
  { key: "losses>", hint: "how often it was lost" },
  { key: "priority>", hint: "higher is sooner" },
  { key: "parent:", hint: "children of a task" },
  { key: "retry_of:", hint: "runs again of a task" },
  { key: "id:", hint: "how its id begins" },
];

const states: readonly Value[] = [
  { value: "ready", hint: "waits for a worker" },
  { value: "delayed", hint: "waits for its time" },
  { value: "pending", hint: "ready or delayed" },
  { value: "claimed", hint: "a worker has it" },
  { value: "running" },
  { value: "deferred", hint: "waits for children" },
  { value: "completed" },
  { value: "failed" },
  { value: "cancelled" },
  { value: "open", hint: "not final" },
  { value: "final", hint: "completed, failed, cancelled" },
];

const times: readonly Value[] = ["10s", "1m", "5m", "1h", "24h", "7d"].map((value) => ({ value }));
const counts: readonly Value[] = ["0", "1", "2"].map((value) => ({ value }));

const shownMax = 12;

export function suggest(query: string, caret: number, words: Vocabulary): readonly Suggestion[] {
  const from = beginOf(query, caret);
  const typed = query.slice(from, caret);
  const not = typed.startsWith("-") ? "-" : "";
  const term = typed.slice(not.length);
  const field = /^([a-z_]+[:<>]=?)(.*)$/s.exec(term);
  const tail = query.slice(caret).replace(/^[^\s]*/, "");
  const make = (label: string, hint: string, term_: string, whole: boolean): Suggestion => {
    const head = query.slice(0, from) + not + term_ + (whole && !tail.startsWith(" ") ? " " : "");
    return { label, hint, text: head + tail, caret: head.length, whole };
  };
  if (field === null) {
    const fitting = fields.filter(({ key }) => key !== term && key.startsWith(term.toLowerCase()));
    return fitting.map(({ key, hint }) => make(key, hint, key, false));
  }
  const [, key = "", said = ""] = field;
  const before = key.endsWith(":") ? said.slice(0, said.lastIndexOf(",") + 1) : "";
  const part = said.slice(before.length).replaceAll('"', "").toLowerCase();
  const fitting = valuesOf(key, words).filter(({ value }) => value.toLowerCase().includes(part) && value !== part);
  const best = fitting.toSorted((a, b) => Number(b.value.startsWith(part)) - Number(a.value.startsWith(part)));
  return best.slice(0, shownMax).map(({ value, hint }) => make(value, hint ?? "", key + before + quoted(value), true));
}

function valuesOf(key: string, words: Vocabulary): readonly Value[] {
  switch (key) {
    case "job:":
    case "room:":
    case "worker:":
    case "queue:":
      return words[key.slice(0, -1) as keyof Vocabulary];
    case "state:":
      return states;
    default:
      if (/^(age|ran|waited|ended)[<>]$/.test(key)) return times;
      return /^(attempt|losses|priority)[<>]=?$/.test(key) ? counts : [];
  }
}

/** Of the term the caret is in: after the last space that is not within quotes. */
function beginOf(query: string, caret: number): number {
  let begin = 0;
  let inQuotes = false;
  for (let at = 0; at < caret; at += 1) {
    const sign = query[at];
    if (sign === '"' && query[at - 1] !== "\\") inQuotes = !inQuotes;
    else if (!inQuotes && sign !== undefined && /\s/.test(sign)) begin = at + 1;
  }
  return begin;
}
