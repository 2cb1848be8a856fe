// Workers as people read them.

import { timeAgo } from "../core/time-text.ts";
import { pauseText } from "./act-flags.ts";
import type { WorkerAnswer, WorkerEventAnswer, WorkerLine } from "./answers.ts";
import { counted } from "./counted.ts";
import { labelText } from "./labels.ts";
import type { Style } from "./paint.ts";
import type { Cell, Column } from "./table.ts";
import { atText } from "./task-text.ts";

export const workerColumns: readonly Column[] = [
  { head: "ID" },
  { head: "STATE" },
  { head: "DOOR", spare: 4 },
  { head: "JOBS", right: true },
  { head: "HOLDS", right: true },
  { head: "LAST BEAT" },
  { head: "CPU", right: true, spare: 2 },
  { head: "MEMORY", right: true, spare: 1 },
  { head: "NAME", least: 8 },
  { head: "HOST", least: 8, spare: 3 },
  { head: "NOTE", least: 8, spare: 5 },
];

const stateStyle = {
  ONLINE: "green",
  UNREACHABLE: "yellow",
  OFFLINE: "red",
  DELETED: "dim",
} as const satisfies Record<WorkerLine["state"], Style>;

export function workerCells(worker: WorkerLine, now: number): Cell[] {
  const { id, state, door, job_count, last_heartbeat, name, hostname, status } = worker;
  return [
    id,
    stateCell(state),
    ...[door, String(job_count), holdsText(worker), timeAgo(last_heartbeat, now)],
    ...[percentText(status.cpuPercent) ?? "", memoryText(status.ramBytes) ?? "", name ?? "", hostname ?? ""],
    noteOf(worker) ?? "",
  ];
}

/** What `--wide` adds. */
export const wideColumns: readonly Column[] = [
  { head: "OS" },
  { head: "VERSION" },
  { head: "LAG", right: true },
  { head: "LABELS" },
];

export function wideCells({ os, version, status, labels }: WorkerLine): Cell[] {
  return [os ?? "", version ?? "", lagText(status.loopLagMs) ?? "", labelText(labels) ?? ""];
}

export function stateCell(state: WorkerLine["state"]): Cell {
  return { text: state, style: stateStyle[state] };
}

export function workerMembers(worker: WorkerAnswer, now: number): [string, Cell | null][] {
  const { state, queues, labels, status, profile, door } = worker;
  return [
    ["worker", worker.id],
    ["state", stateCell(state)],
    ["asked to", askedTo(worker)],
    ["paused", worker.pause === null ? null : { text: pauseText(worker.pause), style: "yellow" }],
    ["drains", worker.drain === null ? null : pauseText({ ...worker.drain, until: worker.drain.deadline })],
    ["limit", worker.concurrency_limit === null ? null : counted(worker.concurrency_limit, "task")],
    ["name", worker.name],
    ["host", worker.os === null ? worker.hostname : `${worker.hostname ?? "?"} (${worker.os})`],
    ["door", door === profile ? door : `${door} (${profile})`],
    ["version", worker.version],
    ["queues", queues === null ? null : queues.join(", ")],
    ["labels", labelText(labels)],
    ["holds", holdsText(worker)],
    ["registered", atText(worker.created_at, now)],
    ["last beat", atText(worker.last_heartbeat, now)],
    ["processor", percentText(status.cpuPercent)],
    ["memory", memoryText(status.ramBytes)],
    ["loop lag", lagText(status.loopLagMs)],
    ["blocked", (worker.blocked_ms ?? 0) === 0 ? null : `${Math.round(worker.blocked_ms ?? 0)} ms`],
    ["deaf", worker.deaf ? "it beats, and does not read what it is sent" : null],
  ];
}

export const workerEventColumns: readonly Column[] = [{ head: "AT" }, { head: "EVENT" }, { head: "DATA", least: 8 }];

export function workerEventCells({ at, type, data }: WorkerEventAnswer): Cell[] {
  return [at, type, data === null ? "" : JSON.stringify(data)];
}

/** Where it is known who asked, and why, a line of its own says so. */
function askedTo({ paused, pause, draining, drain }: WorkerAnswer): string | null {
  if (draining && drain === null) return "finish what it has";
  return paused && pause === null && !draining ? "pause" : null;
}

/** With the smaller of what it says it runs side by side, and what an operator allows it. */
function holdsText({ held, capacity, concurrency_limit: limit }: WorkerLine): string {
  const most = Math.min(capacity ?? Number.POSITIVE_INFINITY, limit ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(most) ? `${held} of ${most}` : String(held);
}

/** What is worth knowing of it beside its state, in few words. */
function noteOf({ paused, draining, concurrency_limit: limit, deaf, blocked_ms }: WorkerLine): string | null {
  const asked = [draining && "draining", paused && "paused", limit !== null && "limited"];
  const notes = [...asked, deaf && "deaf", (blocked_ms ?? 0) > 0 && "blocked"];
  return notes.filter((note) => note !== false).join(", ") || null;
}

function percentText(percent: number | null): string | null {
  return percent === null ? null : `${Math.round(percent)}%`;
}

function lagText(ms: number | null): string | null {
  return ms === null ? null : `${Math.round(ms)} ms`;
}

function memoryText(bytes: number | null): string | null {
  return bytes === null ? null : `${Math.round(bytes / 2 ** 20)} MiB`;
}
