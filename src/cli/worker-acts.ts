// What an operator does to workers, from the command line: `leadhand workers pause ID` and the like.

import type { Static } from "typebox";
import { timeAgo } from "../core/time-text.ts";
import type { Command, DrainPlan } from "../protocol/rest/control-bodies.ts";
import { actBody, pauseText, refuseFlags, secondsOf } from "./act-flags.ts";
import type { PageAnswer, TaskAnswer, WorkerAnswer } from "./answers.ts";
import type { Asking } from "./asking-command.ts";
import { counted, grouped } from "./counted.ts";
import { checkedId } from "./ids.ts";
import { listQuery, wholeNumber } from "./page-flags.ts";
import { printJson, printPage, printTable } from "./print.ts";
import type { Cell, Column } from "./table.ts";
import { UsageError } from "./usage-error.ts";

type PlanAnswer = Static<typeof DrainPlan>;
type CommandAnswer = Static<typeof Command>;

export const workerActFlags = { deadline: { type: "string" }, "at-a-time": { type: "string" } } as const;

/** Answers the exit code. */
export type WorkerAct = (asking: Asking, words: readonly string[]) => Promise<number>;

/** By the word that follows `leadhand workers`. */
export const workerActs: Readonly<Record<string, WorkerAct>> = {
  pause: (asking, words) => onWorker(asking, "pause", words, actBody(asking.flags), pausedText),
  resume: (asking, words) => onWorker(asking, "resume", words, noteOf(asking), () => "takes tasks again"),
  drain: (asking, words) => (words.length === 0 ? drainMany(asking) : drainOne(asking, words)),
  concurrency,
  evict,
  commands,
  drains,
  "stop-drain": stopDrain,
};

/** For acts that take a note, and no time. */
export function noteOf({ flags, name }: Asking): { readonly note?: string } {
  refuseFlags(flags, name, ["for"]);
  return actBody(flags);
}

/** The words of an act, each of which is needed. */
export function only(words: readonly string[], wanted: readonly string[]): readonly string[] {
  const missing = wanted[words.length];
  const help = "`leadhand workers --help` says what it takes";
  if (missing !== undefined) throw new UsageError(`${missing} is missing; ${help}`);
  if (words.length > wanted.length) throw new UsageError(`"${words[wanted.length]}" is one word too many; ${help}`);
  return words;
}

async function onWorker(
  asking: Asking,
  act: string,
  words: readonly string[],
  body: object,
  says: (worker: WorkerAnswer) => string,
): Promise<number> {
  const [given = ""] = only(words, ["ID"]);
  const id = checkedId(given);
  const { body: worker, text } = await asking.ask<WorkerAnswer>("POST", `/workers/${id}/${act}`, { body });
  if (asking.json) printJson(text);
  else console.log(`${worker.name ?? id} ${says(worker)}`);
  return 0;
}

function pausedText({ pause }: WorkerAnswer): string {
  return pause === null ? "is not paused" : `is paused ${pauseText(pause)}`;
}

function deadlineOf({ flags }: Asking): { readonly deadline_seconds?: number } {
  const seconds = secondsOf(flags, "deadline");
  return seconds === undefined ? {} : { deadline_seconds: seconds };
}

function drainOne(asking: Asking, words: readonly string[]): Promise<number> {
  refuseFlags(asking.flags, "workers drain ID", ["label", "at-a-time"]);
  const body = { ...noteOf(asking), ...deadlineOf(asking) };
  return onWorker(asking, "drain", words, body, ({ drain }) => {
    const until = drain?.deadline ?? null;
    return `drains: it gets nothing new${until === null ? "" : `, and keeps what it has until ${until}`}`;
  });
}

async function drainMany(asking: Asking): Promise<number> {
  const label = asking.flags["label"] as string | undefined;
  if (label === undefined) throw new UsageError("ID or --label K=V is missing: which workers?");
  const most = wholeNumber(asking.flags, "at-a-time", 1, 1_000);
  const body = { label, ...noteOf(asking), ...deadlineOf(asking), ...(most !== undefined && { at_a_time: most }) };
  const { body: plan, text } = await asking.ask<PlanAnswer>("POST", "/workers/drain", { body });
  if (asking.json) printJson(text);
  else console.log(`drain ${plan.id}: ${planText(plan)}`);
  return 0;
}

function planText({ waiting, draining, done }: PlanAnswer): string {
  return `${grouped(draining.length)} draining, ${grouped(waiting.length)} to come, ${grouped(done.length)} done`;
}

const planColumns: readonly Column[] = [
  { head: "ID" },
  { head: "LABEL" },
  { head: "AT A TIME", right: true },
  { head: "BEGUN" },
  { head: "BY" },
  { head: "STANDS AT", least: 12 },
];

async function drains(asking: Asking, words: readonly string[]): Promise<number> {
  only(words, []);
  const { body, text } = await asking.ask<{ items: readonly PlanAnswer[] }>("GET", "/drains");
  if (asking.json) printJson(text);
  else if (body.items.length === 0) console.error("No drains");
  else {
    printTable(
      planColumns,
      body.items.map((plan) => [
        ...[plan.id, plan.label, String(plan.at_a_time), timeAgo(plan.at, asking.now()), plan.by],
        planText(plan),
      ]),
    );
  }
  return 0;
}

async function stopDrain(asking: Asking, words: readonly string[]): Promise<number> {
  const [given = ""] = only(words, ["ID"]);
  const { body: plan, text } = await asking.ask<PlanAnswer>("DELETE", `/drains/${checkedId(given)}`);
  if (asking.json) printJson(text);
  else console.log(`stopped: ${planText(plan)}; who drains goes on until it is resumed`);
  return 0;
}

async function concurrency(asking: Asking, words: readonly string[]): Promise<number> {
  const [id = "", number = ""] = only(words, ["ID", "N"]);
  const value = number === "none" ? null : /^\d{1,5}$/.test(number) ? Number(number) : 0;
  if (value === 0) throw new UsageError(`"${number}" is not a whole number from 1 to 10000, nor "none"`);
  return onWorker(asking, "concurrency", [id], { value, ...noteOf(asking) }, ({ concurrency_limit: limit }) =>
    limit === null ? "holds as many tasks as it wants" : `holds ${counted(limit, "task")} at most`,
  );
}

async function evict(asking: Asking, words: readonly string[]): Promise<number> {
  const [given = ""] = only(words, ["TASK"]);
  const id = checkedId(given);
  const ask = { body: noteOf(asking) };
  const { body: task, text } = await asking.ask<TaskAnswer>("POST", `/tasks/${id}/evict`, ask);
  if (asking.json) printJson(text);
  else console.log(`${id} is ${task.status}; nothing counts against it`);
  return 0;
}

const commandColumns: readonly Column[] = [
  { head: "TOLD" },
  { head: "COMMAND" },
  { head: "BY" },
  { head: "DELIVERED" },
  { head: "ANSWER", least: 8 },
  { head: "NOTE", least: 8, spare: 1 },
];

async function commands(asking: Asking, words: readonly string[]): Promise<number> {
  const [given = ""] = only(words, ["ID"]);
  const path = `/workers/${checkedId(given)}/commands${listQuery(asking)}`;
  const { body, text } = await asking.ask<PageAnswer<CommandAnswer>>("GET", path);
  if (asking.json) printJson(text);
  else printPage(body, "command", commandColumns, (each) => commandCells(each, asking.now()));
  return 0;
}

function commandCells({ at, type, args, by, delivered_at, ok, detail, note }: CommandAnswer, now: number): Cell[] {
  const value = type === "concurrency" ? ` ${args?.["value"] ?? "none"}` : "";
  const answer = ok === null ? "none yet" : `${ok ? "obeyed" : "not obeyed"}${detail === null ? "" : `: ${detail}`}`;
  return [
    ...[timeAgo(at, now), `${type}${value}`, by, delivered_at === null ? "no" : timeAgo(delivered_at, now)],
    ok === false ? { text: answer, style: "yellow" } : answer,
    note ?? "",
  ];
}
