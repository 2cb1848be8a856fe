import type { TaskRecord } from "../../ports/records.ts";
import {
  type HistoryRecord,
  type Page,
  type PageQuery,
  positionMax,
  type Reads,
  type TaskFilter,
  totalMax,
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

export function readPosition(memory: Memory, query: Reads["position"]["query"]): Reads["position"]["answer"] {
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
