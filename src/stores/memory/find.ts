import { isLost, listenMs, untold } from "../../core/liveness.ts";
import { isFinal } from "../../core/task-row.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import { hasPending } from "./amend.ts";
import { findCommands } from "./commands.ts";
import { type Entry, isAlive, type Memory } from "./memory.ts";
import { findUnheeded, findUnpublished } from "./messages.ts";
import { compareText, firstFew } from "./sorted-list.ts";

export function find<K extends keyof Find>(memory: Memory, kind: K, query: Find[K]["query"]): Find[K]["answer"] {
  return finders[kind](memory, query);
}

const finders: { [K in keyof Find]: (memory: Memory, query: Find[K]["query"]) => Find[K]["answer"] } = {
  due: (memory, { now, limit }) =>
    firstFew(memory.due, limit)
      .filter((entry) => (entry.row.dueAt as number) <= now)
      .map((entry) => entry.card.id),

  lost: (memory, { now, heardMs, limit }) =>
    workers(memory)
      .filter((worker) => isLost(worker.session, now) && listenMs(worker.session) <= heardMs)
      .map((worker) => worker.id)
      .sort(compareText)
      .slice(0, limit),

  untold: (memory, { now, heardMs, limit }) =>
    workers(memory)
      .filter(({ session }) => {
        const state = untold(session, now);
        return state === "ONLINE" || (state === "UNREACHABLE" && (session.unreachableMs as number) <= heardMs);
      })
      .map((worker) => worker.id)
      .sort(compareText)
      .slice(0, limit),

  offline: (memory, { profile, lostBefore, limit }) =>
    workers(memory)
      .flatMap(({ id, profile: its, session: { lostAt, removedAt } }) =>
        its === profile && removedAt === null && lostAt !== null && lostAt < lostBefore ? [{ id, lostAt }] : [],
      )
      .sort((a, b) => a.lostAt - b.lostAt || compareText(a.id, b.id))
      .map((worker) => worker.id)
      .slice(0, limit),

  removed: (memory, { limit }) =>
    workers(memory)
      .flatMap(({ id, session: { removedAt } }) => (removedAt === null ? [] : [{ id, removedAt }]))
      .sort((a, b) => b.removedAt - a.removedAt || compareText(a.id, b.id))
      .map((worker) => worker.id)
      .slice(0, limit),

  forsaken: (memory, { limit }) =>
    [...memory.held]
      .filter(([worker]) => !isAlive(memory, worker))
      .flatMap(([worker, entries]) => ids(entries).map((task) => ({ task, worker })))
      .sort((a, b) => compareText(a.task, b.task))
      .slice(0, limit),

  held: (memory, { workers: holders, limit }) =>
    ids([...new Set(holders)].flatMap((worker) => [...(memory.held.get(worker) ?? [])])).slice(0, limit),

  children: (memory, { parents, limit }) => {
    const all = [...new Set(parents)].flatMap((parent) => [...(memory.children.get(parent) ?? [])]);
    return ids(all.filter((entry) => !isFinal(entry.row.state))).slice(0, limit);
  },

  orphans: (memory, { limit }) => {
    const served = new Set(workers(memory).flatMap((worker) => [...worker.jobs.keys()]));
    return [...memory.jobs.values()]
      .map(({ record }) => record)
      .filter((job) => !job.deleted && job.source === "worker" && !served.has(job.name))
      .map((job) => job.name)
      .filter((name) => !hasPending(memory, name))
      .sort(compareText)
      .slice(0, limit);
  },

  commands: findCommands,

  unpublished: findUnpublished,

  unheeded: findUnheeded,

  outbox: (memory, { kind, dueBy = Number.MAX_SAFE_INTEGER, limit }) =>
    [...memory.outbox.values()]
      .filter((item) => item.kind === kind && item.at <= dueBy)
      .sort((a, b) => a.at - b.at || compareText(a.id, b.id))
      .slice(0, limit),

  outboxKinds(memory, { limit }) {
    const counts = new Map<string, number>();
    for (const { kind } of memory.outbox.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const sorted = [...counts].sort(([a], [b]) => compareText(a, b));
    return sorted.slice(0, limit).map(([kind, count]) => ({ kind, count }));
  },
};

function workers(memory: Memory): WorkerRecord[] {
  return [...memory.workers.values()].map(({ record }) => record);
}

function ids(entries: Iterable<Entry>): string[] {
  return [...entries].map((entry) => entry.card.id).sort(compareText);
}
