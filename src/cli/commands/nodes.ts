import { timeAgo } from "../../core/time-text.ts";
import type { NodeAnswer } from "../answers.ts";
import { askingCommand } from "../asking-command.ts";
import { printJson, printTable } from "../print.ts";
import type { Cell, Column } from "../table.ts";

const usage = [
  "Usage: leadhand nodes [options]",
  "",
  "Lists the servers on the database, the longest running first: which of them leads, how far each one's clock is off",
  "the database's, and how busy it is.",
  "",
];

const columns: readonly Column[] = [
  { head: "ID" },
  { head: "STATE" },
  { head: "ADDRESS", least: 12 },
  { head: "VERSION" },
  { head: "STARTED" },
  { head: "SEEN" },
  { head: "SKEW", right: true },
  { head: "WORKERS", right: true },
  { head: "TASKS", right: true },
  { head: "CONNECTIONS", right: true, spare: 1 },
  { head: "LAG", right: true, spare: 2 },
  { head: "CPU", right: true },
  { head: "MEMORY", right: true, spare: 3 },
];

export const command = askingCommand({
  name: "nodes",
  summary: "list the servers on the database, with leader and load",
  usage,
  flags: {},
  async run({ ask, json, now }) {
    const { body, text } = await ask<{ readonly items: readonly NodeAnswer[] }>("GET", "/nodes");
    if (json) printJson(text);
    else
      printTable(
        columns,
        body.items.map((node) => cells(node, now())),
      );
    return 0;
  },
});

function cells(node: NodeAnswer, now: number): Cell[] {
  const { connections, workers, tasks, loop_lag_p99_ms: lag, cpu_percent: cpu, memory_bytes: memory } = node.load;
  const counts = Object.values(connections).filter((count) => count !== null);
  return [
    ...[node.id, stateCell(node), node.address ?? "", node.version],
    ...[timeAgo(node.started_at, now), timeAgo(node.seen_at, now), `${node.clock_skew_ms} ms`],
    ...[said(workers), said(tasks), counts.length === 0 ? "" : String(counts.reduce((a, b) => a + b, 0))],
    ...[said(lag, " ms"), cpu === null ? "" : `${Math.round(cpu)}%`],
    memory === null ? "" : `${Math.round(memory / 2 ** 20)} MiB`,
  ];
}

function stateCell({ online, leader }: NodeAnswer): Cell {
  if (!online) return { text: "silent", style: "red" };
  return { text: leader ? "leader" : "online", style: "green" };
}

/** A server of another version may not say it. */
function said(value: number | null, unit = ""): string {
  return value === null ? "" : `${value}${unit}`;
}
