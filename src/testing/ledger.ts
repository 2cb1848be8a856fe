// What callers were told, kept apart from the server that told them. Afterwards it is compared with the database: what
// was acknowledged must be there, what was refused for good must not, and nothing may be there twice.

import type { ProblemCode } from "../core/problem.ts";
import { isFinal, type TaskState } from "../core/task-row.ts";
import type { Store } from "../ports/store.ts";
import type { HistoryRecord } from "../ports/store-reads.ts";

export type Entry =
  /** A task was accepted. Each payload is used for one task alone, so it names its submit. */
  | { readonly what: "accepted"; readonly id: string; readonly payload: string }
  /** A submit was refused for good. */
  | { readonly what: "refused"; readonly payload: string }
  /** A move was acknowledged: the task as its caller was told it is afterwards. */
  | {
      readonly what: "moved";
      readonly id: string;
      readonly version: number;
      readonly state: TaskState;
      readonly attempt: number;
      readonly worker: string | null;
      /** Of a completion; each result is used once. */
      readonly result?: string;
    }
  /** A result was refused for good. */
  | { readonly what: "denied"; readonly id: string; readonly result: string }
  /** A call was refused for now. */
  | { readonly what: "postponed"; readonly code: ProblemCode }
  /** A submit under this idempotency key is about to be made; it is repeated until it is answered. */
  | { readonly what: "tried"; readonly key: string };

type Moved = Extract<Entry, { what: "moved" }>;
type Histories = ReadonlyMap<string, HistoryRecord>;

/** What a task says about the call that submitted it: which one, and how many it carried. */
export interface Mark {
  readonly mark: string;
  readonly call: string;
  readonly of: number;
}

/** A payload that no other task has. */
export function markedPayload(mark: Mark, words: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...mark, ...words });
}

/** Every way in which the database contradicts what was said, each a sentence. */
export async function ledgerFaults(entries: readonly Entry[], store: Pick<Store, "read">): Promise<string[]> {
  const histories = await allHistories(store);
  const byPayload = Map.groupBy(histories.values(), ({ task }) => task.payload);
  const doubled = [...byPayload.values()].filter((tasks) => tasks.length > 1).map(doubledFault);
  return [
    ...entries.flatMap((entry) => entryFault(entry, histories, byPayload) ?? []),
    ...doubled,
    ...halfCallFaults(histories),
    ...secondEndFaults(entries),
  ];
}

export async function allHistories(store: Pick<Store, "read">): Promise<Histories> {
  const found = new Map<string, HistoryRecord>();
  for (let after: string | null = null; ; ) {
    const page: readonly HistoryRecord[] = await store.read("histories", { after, limit: 500 });
    for (const record of page) found.set(record.task.card.id, record);
    if (page.length < 500) return found;
    after = page.at(-1)?.task.card.id ?? null;
  }
}

function entryFault(entry: Entry, histories: Histories, byPayload: ReadonlyMap<string, unknown>): string | null {
  switch (entry.what) {
    case "accepted": {
      const payload = histories.get(entry.id)?.task.payload;
      if (payload === undefined) return `task ${entry.id} was accepted and is lost`;
      return payload === entry.payload ? null : `task ${entry.id} was accepted as ${entry.payload}, is ${payload}`;
    }
    case "refused":
      return byPayload.has(entry.payload) ? `${entry.payload} was refused for good, and is there` : null;
    case "moved":
      return movedFault(entry, histories.get(entry.id));
    case "denied": {
      const result = histories.get(entry.id)?.task.outcome?.result;
      return result === entry.result ? `result ${entry.result} was refused for good, and counts` : null;
    }
    case "postponed":
    case "tried":
      return null;
  }
}

function movedFault(told: Moved, record: HistoryRecord | undefined): string | null {
  if (record === undefined) return `task ${told.id} moved to version ${told.version} and is lost`;
  const event = record.events.find(({ version }) => version === told.version);
  const said = `${told.state} by attempt ${told.attempt} at version ${told.version}`;
  if (event === undefined) return `task ${told.id} was said to be ${said}; its history does not say so`;
  const sameWorker = told.worker === null || event.worker === told.worker;
  if (event.state !== told.state || event.attempt !== told.attempt || !sameWorker) {
    const recorded = `${event.state} by attempt ${event.attempt} of ${event.worker}`;
    return `task ${told.id} was said to be ${said} of ${told.worker}; its history says ${recorded}`;
  }
  return isFinal(told.state) ? outcomeFault(told, record) : null;
}

function outcomeFault(told: Moved, { task }: HistoryRecord): string | null {
  const { outcome, row } = task;
  if (outcome?.state !== told.state || row.version !== told.version) {
    return `task ${told.id} ended ${told.state} at version ${told.version}; recorded is ${outcome?.state} at ${row.version}`;
  }
  if (told.result === undefined || outcome.result === told.result) return null;
  return `task ${told.id} ended with ${told.result}; recorded is ${outcome.result}`;
}

function doubledFault(tasks: readonly HistoryRecord[]): string {
  const ids = tasks.map(({ task }) => task.card.id).join(" and ");
  return `${tasks[0]?.task.payload} was submitted once and is there as ${ids}`;
}

/** Open children of cancelled parents: a cancel takes everything below with it. For when all is quiet. */
export async function forgottenChildren(store: Store): Promise<string[]> {
  const histories = await allHistories(store);
  return [...histories.values()].flatMap(({ task: { card, row } }) => {
    const parent = card.parent === null ? undefined : histories.get(card.parent);
    if (parent?.task.row.state !== "cancelled" || isFinal(row.state)) return [];
    return [`task ${card.id} is ${row.state}, its parent ${card.parent} was cancelled`];
  });
}

/** A call of several tasks is accepted whole or not at all. */
function halfCallFaults(histories: Histories): string[] {
  const marks = [...histories.values()].map(({ task }) => JSON.parse(task.payload) as Partial<Mark>);
  const calls = Map.groupBy(marks, ({ call }) => call);
  return [...calls].flatMap(([call, tasks]) => {
    const of = tasks[0]?.of;
    return call === undefined || of === tasks.length
      ? []
      : [`of the ${of} tasks of call ${call}, ${tasks.length} exist`];
  });
}

function secondEndFaults(entries: readonly Entry[]): string[] {
  const ends = entries.filter((entry): entry is Moved => entry.what === "moved" && isFinal(entry.state));
  return [...Map.groupBy(ends, ({ id }) => id)]
    .filter(([, told]) => new Set(told.map(({ version }) => version)).size > 1)
    .map(([id, told]) => `task ${id} was said to have ended ${told.length} times`);
}
