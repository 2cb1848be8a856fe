import { timeAgo } from "../../core/time-text.ts";
import type { ExplainAnswer } from "../answers.ts";
import { askingCommand } from "../asking-command.ts";
import { counted } from "../counted.ts";
import { checkedId } from "../ids.ts";
import { labelText } from "../labels.ts";
import { paintOut, printJson, printLines, printTable } from "../print.ts";
import { type Cell, type Column, detailLines } from "../table.ts";
import { atText } from "../task-text.ts";

const usage = [
  "Usage: leadhand explain ID [options]",
  "",
  "Says in one sentence why a task is not running, and the facts under it: its place",
  "in line, pauses, limits, and what keeps each worker that has its job.",
  "",
];

type Facts = ExplainAnswer["facts"];
type WorkerFact = Facts["workers"][number];

const columns: readonly Column[] = [
  { head: "WORKER" },
  { head: "NAME", least: 8 },
  { head: "STATE" },
  { head: "HINDRANCE" },
  { head: "HOLDS", right: true },
  { head: "LAST BEAT", spare: 1 },
];

export const command = askingCommand({
  name: "explain",
  summary: "say why a task is not running",
  usage,
  words: ["ID"],
  async run({ ask, words, json, now }) {
    const { body, text } = await ask<ExplainAnswer>("GET", `/tasks/${checkedId(words[0] as string)}/explain`);
    if (json) {
      printJson(text);
      return 0;
    }
    const { sentence, facts } = body;
    console.log(sentence);
    console.log();
    printLines(detailLines(members(body, now()), paintOut()));
    if (facts.workers.length === 0) return 0;
    console.log();
    printTable(
      columns,
      facts.workers.map((worker) => cells(worker, now())),
    );
    const rest = facts.workers_total - facts.workers.length;
    if (rest > 0) console.log(`… and ${rest} more`);
    return 0;
  },
});

function members({ task_id, state, cause, facts }: ExplainAnswer, now: number): [string, Cell | null][] {
  const { position, position_exact, run_at, limit, last_seen_at } = facts;
  return [
    ["task", task_id],
    ["status", state],
    ["cause", cause],
    ["job", facts.job],
    ["queue", facts.queue],
    ["asks for", labelText(facts.labels)],
    ["checksum", cause === "worker-checksum" ? facts.checksum : null],
    ["position", position === null ? null : `${position_exact === true ? "" : "about "}${position}`],
    ["not before", run_at === null ? null : atText(run_at, now)],
    ["failures", facts.failures === 0 ? null : String(facts.failures)],
    ["last error", facts.last_error],
    ["refused", facts.refusal],
    ["job paused", pauseText(facts.job_pause, now)],
    ["queue paused", pauseText(facts.queue_pause, now)],
    ["limit", limit === null ? null : `${limit.running} of ${limit.max_running} running`],
    ["target", facts.push?.failure ?? null],
    ["message", messageText(facts.message, now)],
    ["parent", facts.parent_id],
    ["worker", facts.worker_id],
    ["last seen", last_seen_at === null ? null : atText(last_seen_at, now)],
  ];
}

function messageText(message: Facts["message"], now: number): string | null {
  if (message === null) return null;
  const { told, broker_away_since: away, waiting, waiting_max, consumers, republished } = message;
  const words = [told ? "told" : "not told yet"];
  if (away !== null) words.push(`the broker is away since ${atText(away, now)}`);
  if (waiting !== null) words.push(`${waiting} of ${waiting_max} wait in its queue`);
  if (consumers !== null) words.push(counted(consumers, "consumer"));
  if (republished > 0) words.push(`told again ${counted(republished, "time")}`);
  return words.join(", ");
}

function pauseText(pause: Facts["job_pause"], now: number): string | null {
  if (pause === null) return null;
  const { by, note, at, until } = pause;
  const end = until === null ? "" : `, until ${until}`;
  return `by ${by} ${timeAgo(at, now)}${end}${note === null ? "" : `: ${note}`}`;
}

function cells({ id, name, state, hindrance, held, capacity, seen_at, pause }: WorkerFact, now: number): Cell[] {
  const why = pause === null || hindrance !== "paused" ? (hindrance ?? "none") : `paused ${pauseText(pause, now)}`;
  const holds = capacity === null ? String(held) : `${held} of ${capacity}`;
  return [id ?? "(not yours to see)", name ?? "", state, why, holds, timeAgo(seen_at, now)];
}
