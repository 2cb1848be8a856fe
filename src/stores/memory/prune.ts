import type { Outcome } from "../../core/task-row.ts";
import type { PruneSlice } from "../../ports/store.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { type Entry, type Memory, openTask, removeTask } from "./memory.ts";
import { compareText, firstFew } from "./sorted-list.ts";

/** Each kind goes up to the limit, on its own. */
export function prune(memory: Memory, slice: PruneSlice): number {
  return (
    pruneNamed(memory, slice) +
    pruneFinished(memory, slice) +
    pruneKeys(memory, slice) +
    pruneWorkerEvents(memory, slice) +
    pruneAudit(memory.audit, slice) +
    pruneAudit(memory.commands, slice) +
    pruneWorkers(memory, slice) +
    pruneSessions(memory, slice)
  );
}

function pruneNamed(memory: Memory, { tasks, audit = [], limit }: PruneSlice): number {
  const named = [...new Set(tasks)].sort(compareText);
  const gone = firstFew(named, limit, (id) => outcomeOf(memory, id) !== null);
  if (gone.length > 0) for (const entry of audit) memory.audit.set(entry.id, frozenCopy(entry));
  return remove(memory, gone);
}

function pruneFinished(memory: Memory, { finishedBefore, limit }: PruneSlice): number {
  if (finishedBefore === null) return 0;
  const goes = (id: string) => {
    const outcome = outcomeOf(memory, id);
    return outcome !== null && outcome.finishedAt < finishedBefore && !isAwaited(memory, id);
  };
  return remove(memory, firstFew(memory.byId, limit, goes));
}

function outcomeOf(memory: Memory, id: string): Outcome | null {
  return memory.tasks.get(id)?.outcome ?? null;
}

function isAwaited(memory: Memory, id: string): boolean {
  const parent = memory.tasks.get(id)?.card.parent ?? null;
  return parent !== null && openTask(memory, parent) !== undefined;
}

function remove(memory: Memory, ids: readonly string[]): number {
  for (const id of ids) removeTask(memory, memory.tasks.get(id) as Entry);
  return ids.length;
}

function pruneKeys(memory: Memory, { keysBefore, limit }: PruneSlice): number {
  const old = [...memory.keys].filter(([, key]) => key.at < keysBefore).slice(0, limit);
  for (const [text] of old) memory.keys.delete(text);
  return old.length;
}

function pruneWorkerEvents(memory: Memory, { workerEventsBefore, limit }: PruneSlice): number {
  if (workerEventsBefore === null) return 0;
  const old = new Set(memory.workerEvents.filter((event) => event.at < workerEventsBefore).slice(0, limit));
  memory.workerEvents = memory.workerEvents.filter((event) => !old.has(event));
  return old.size;
}

function pruneAudit(
  rows: Map<string, { readonly id: string; readonly at: number }>,
  { auditBefore, limit }: PruneSlice,
): number {
  if (auditBefore === null) return 0;
  const old = [...rows.values()].filter(({ at }) => at < auditBefore).sort((a, b) => compareText(a.id, b.id));
  const gone = old.slice(0, limit);
  for (const { id } of gone) rows.delete(id);
  return gone.length;
}

function pruneWorkers(memory: Memory, { workersBefore, limit }: PruneSlice): number {
  if (workersBefore === null) return 0;
  const old = [...memory.workers.values()]
    .map(({ record }) => record)
    .filter(({ session }) => session.removedAt !== null && session.removedAt < workersBefore)
    .filter(({ id }) => !memory.held.has(id))
    .sort((a, b) => compareText(a.id, b.id))
    .slice(0, limit);
  for (const { id } of old) memory.workers.delete(id);
  return old.length;
}

function pruneSessions({ tokens }: Memory, { sessionsBefore, limit }: PruneSlice): number {
  if (sessionsBefore === null) return 0;
  const old = [...tokens.values()]
    .filter(({ kind, expiresAt }) => kind !== "api" && expiresAt !== null && expiresAt < sessionsBefore)
    .sort((a, b) => (a.expiresAt as number) - (b.expiresAt as number))
    .slice(0, limit);
  for (const { id } of old) tokens.delete(id);
  return old.length;
}
