import { isPicked } from "../../core/task-pick.ts";
import { isFinal } from "../../core/task-row.ts";
import type { TaskRecord } from "../../ports/records.ts";
import {
  type FoundTask,
  type HistoryRecord,
  type LinePlace,
  noPayload,
  type Page,
  type PageQuery,
  type Position,
  positionMax,
  type Reads,
  type Scanned,
  type TaskFilter,
  type TaskScan,
  totalMax,
  workDoneMax,
} from "../../ports/store-reads.ts";
import { claimOrder, type Entry, type Memory } from "./memory.ts";
import { firstFew } from "./sorted-list.ts";

export function readTasks(memory: Memory, ids: readonly string[]): TaskRecord[] {
  return ids.flatMap((id) => memory.tasks.get(id) ?? []).map(recordOf);
}

export function readTaskList(memory: Memory, query: TaskFilter & PageQuery): Page<TaskRecord> {
  const { limit, offset } = query;
  const counted = Math.max(totalMax + 1, offset + limit);
  const matching = firstFew(memory.byId.backwards(), counted, (id) => matches(entryOf(memory, id), query));
  const page = pageOf(matching, query);
  return { ...page, items: page.items.map((id) => recordOf(entryOf(memory, id))) };
}

function matches({ card, row }: Entry, filter: TaskFilter): boolean {
  return (
    (filter.rooms === undefined || filter.rooms.includes(card.room)) &&
    (filter.lanes === undefined || filter.lanes.includes(card.lane)) &&
    (filter.state === undefined || filter.state === row.state) &&
    (filter.parent === undefined || filter.parent === card.parent) &&
    (filter.worker === undefined || filter.worker === row.worker)
  );
}

export function readWorkDone(memory: Memory, { worker }: Reads["workDone"]["query"]): Map<number, number> {
  const isEnded = ({ row }: Entry): boolean => isFinal(row.state) && row.worker === worker;
  const byLane = new Map<number, number>();
  for (const id of firstFew(memory.byId.backwards(), workDoneMax, (each) => isEnded(entryOf(memory, each)))) {
    const { card, row } = entryOf(memory, id);
    if (row.state === "completed") byLane.set(card.lane, (byLane.get(card.lane) ?? 0) + 1);
  }
  return byLane;
}

export function readTaskScan(memory: Memory, { pick, before, rows, limit, want }: TaskScan): Scanned {
  const found: FoundTask[] = [];
  let seen = 0;
  let through: string | null = null;
  for (const id of memory.byId.backwards()) {
    if (before !== null && id >= before) continue;
    if (seen === rows || found.length === limit) return { found, through, seen };
    const entry = entryOf(memory, id);
    if (isPicked(entry, pick)) found.push(foundTask(entry, want));
    seen += 1;
    through = id;
  }
  return { found, through: null, seen };
}

function foundTask(entry: Entry, want: TaskScan["want"]): FoundTask {
  const record = recordOf(entry);
  return {
    id: entry.card.id,
    state: want === "ids" ? null : entry.row.state,
    record: want === "whole" ? record : want === "bare" ? bareRecord(record) : null,
  };
}

function bareRecord(record: TaskRecord): TaskRecord {
  const { outcome } = record;
  const error = outcome?.error == null ? null : { ...outcome.error, details: null };
  return { ...record, payload: noPayload, outcome: outcome === null ? null : { ...outcome, result: null, error } };
}

export function readEvents(memory: Memory, query: Reads["events"]["query"]): Reads["events"]["answer"] {
  const entry = memory.tasks.get(query.task);
  return { ...pageOf(entry?.events ?? [], query), refusals: [...(entry?.refusals ?? [])] };
}

/** A page of the items, which are in order. */
export function pageOf<T>(items: readonly T[], { limit, offset }: PageQuery): Page<T> {
  return {
    items: items.slice(offset, offset + limit),
    total: Math.min(items.length, totalMax),
    totalExact: items.length <= totalMax,
  };
}

export function readPositions(memory: Memory, { asked }: Reads["positions"]["query"]): readonly Position[] {
  return asked.map((place) => positionOf(memory, place));
}

function positionOf(memory: Memory, query: LinePlace): Position {
  const place = { rank: query.rank, card: { id: query.id } };
  let ahead = 0;
  for (const lane of new Set(query.lanes)) {
    for (const entry of memory.shelves.get(lane)?.ready ?? []) {
      if (claimOrder(entry, place) >= 0) break;
      ahead += 1;
      if (ahead === positionMax) return { position: positionMax, exact: false };
    }
  }
  return { position: ahead + 1, exact: true };
}

export function readHistories(memory: Memory, query: Reads["histories"]["query"]): HistoryRecord[] {
  const ids = query.after === null ? memory.byId : memory.byId.after(query.after);
  return firstFew(ids, query.limit)
    .map((id) => entryOf(memory, id))
    .map((entry) => ({ task: recordOf(entry), events: [...entry.events] }));
}

export function readChildActivity(memory: Memory, parents: readonly string[]): Map<string, number> {
  const latest = new Map<string, number>();
  for (const parent of parents) {
    for (const child of memory.children.get(parent) ?? []) {
      latest.set(parent, Math.max(latest.get(parent) ?? 0, child.row.activeAt));
    }
  }
  return latest;
}

function entryOf(memory: Memory, id: string): Entry {
  return memory.tasks.get(id) as Entry;
}

function recordOf({ card, row, payload, outcome }: Entry): TaskRecord {
  return { card, row, payload, outcome };
}
