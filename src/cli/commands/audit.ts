import type { AuditAnswer, PageAnswer } from "../answers.ts";
import { askingCommand } from "../asking-command.ts";
import { listQuery, pageFlags, pageUsage } from "../page-flags.ts";
import { printJson, printPage } from "../print.ts";
import type { Cell, Column } from "../table.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand audit [--actor U] [--action A] [--kind K] [--target T]",
  "                      [--since TIME] [--before TIME] [options]",
  "",
  "Lists what people and tokens did to the fleet and to tasks, newest first. An admin",
  "sees all of it, everyone else what they did themselves.",
  "",
  "  --actor U       by this user",
  "  --action A      of this kind of act: task.cancel, worker.delete, spec.put, …",
  "  --kind K        to a task, act, worker, drain, job, queue, provider or token",
  "  --target T      done to this very one, by id or full name",
  "  --since TIME    not before then, as in 2026-11-15T18:30:00Z",
  "  --before TIME   before then",
  ...pageUsage,
];

const words = ["actor", "action", "kind", "target"] as const;
const times = ["since", "before"] as const;

const columns: readonly Column[] = [
  { head: "TIME" },
  { head: "WHO", least: 8 },
  { head: "ACT" },
  { head: "TARGET", least: 12, keepsEnd: true },
  { head: "NOTE", least: 8 },
  { head: "DATA", least: 8, spare: 1 },
];

export const command = askingCommand({
  name: "audit",
  summary: "list who did what to the fleet and to tasks",
  usage,
  flags: {
    ...Object.fromEntries([...words, ...times].map((name) => [name, { type: "string" }] as const)),
    ...pageFlags,
  },
  async run({ ask, flags, json }) {
    const read = Object.fromEntries(times.flatMap((name) => timeOf(name, flags[name])));
    const query = listQuery({ flags: { ...flags, ...read } }, [...words, ...times]);
    const { body, text } = await ask<PageAnswer<AuditAnswer>>("GET", `/audit${query}`);
    if (json) printJson(text);
    else printPage(body, "act", columns, cells);
    return 0;
  },
});

function timeOf(name: string, given: unknown): [string, string][] {
  if (given === undefined) return [];
  const at = Date.parse(String(given));
  if (Number.isNaN(at)) throw new UsageError(`--${name}: "${given}" is not a time like 2026-11-15T18:30:00Z`);
  return [[name, new Date(at).toISOString()]];
}

function cells({ at, actor, action, target, note, data }: AuditAnswer): Cell[] {
  return [at, actor, action, target, note ?? "", data === null ? "" : JSON.stringify(data)];
}
