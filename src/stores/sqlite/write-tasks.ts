// Writes what was decided about open tasks, where the version still stands.

import type { DatabaseSync } from "node:sqlite";
import type { TaskRow } from "../../core/task-row.ts";
import type { TaskWrite } from "../../ports/records.ts";
import { addEvent, addOutcome, eventColumns, eventWidth, outcomeWidth, rowValues } from "./rows.ts";
import { change, insert, lists, query, rowsEach, type Value } from "./statement.ts";

const deleteOpen = `
  delete from open_task
  where id = ? and version = ?`;

const countStanding = `
  select count(*)
  from (values ${lists(2, rowsEach)}) w
  cross join open_task o on o.id = w.column1 and o.version = w.column2`;

const deleteMany = `
  delete from open_task
  where id in ${lists(rowsEach, 1)}`;

// Mirrors laterLease of core/lease.ts: an extension has kept the version.
const updateOpen = `
  update open_task
  set state = ?, version = ?, attempt = ?, failures = ?, losses = ?, worker = ?, run_at = ?, claimed_at = ?,
    started_at = ?,
    leased_until = case
      when worker is ? and attempt = ? and leased_until > ? then leased_until
      else ?
    end,
    due_at = ?, active_at = ?, progress = ?, children_total = ?, children_done = ?,
    children_failed = ?, patience = ?, checkpoint = ?, children_more = ?
  where id = ? and version = ?`;

const insertOutcome = `
  insert or fail into outcome (task, state, version, attempt, failures, losses, worker, claimed_at, started_at, finished_at,
    result, error, error_code, error_details, progress, children_total, children_done, children_failed, checkpoint,
    children_more, fingerprint)
  values`;

const insertEvent = `
  insert or fail into task_event (${eventColumns})
  values`;

/** For each write, whether it was the one that counted. */
export type WriteTasks = (writes: readonly TaskWrite[]) => boolean[];

export function taskWriter(db: DatabaseSync): WriteTasks {
  const remove = remover(db);
  const update = change(db, updateOpen);
  const insertOutcomes = insert(db, insertOutcome, outcomeWidth);
  const insertEvents = eventInserter(db);

  return (writes) => {
    const outcomes: Value[] = [];
    const events: Value[] = [];
    const ended = remove(writes.filter(({ outcome }) => outcome !== null));
    const written = writes.map((write) => {
      const { expected, next, outcome } = write;
      const stood = outcome === null ? update(...updateValues(next), next.id, expected) === 1 : ended(write);
      if (!stood) return false;
      if (outcome !== null) addOutcome(outcomes, next, outcome);
      for (const move of write.events) addEvent(events, move);
      return true;
    });
    insertOutcomes(outcomes);
    insertEvents(events);
    return written;
  };
}

/**
 * Removes tasks that have ended; answers which of them stood. Nearly always all do: one look makes sure of it, and one
 * statement then removes them, in four fifths of the time it takes one by one.
 */
function remover(db: DatabaseSync): (writes: readonly TaskWrite[]) => (write: TaskWrite) => boolean {
  const standing = query<[number]>(db, countStanding);
  const removeMany = change(db, deleteMany);
  const removeOne = change(db, deleteOpen);

  function allStand(part: readonly TaskWrite[]): boolean {
    return standing.get(...part.flatMap(({ next, expected }) => [next.id, expected]))?.[0] === rowsEach;
  }

  return (writes) => {
    const fallen = new Set<TaskWrite>();
    for (let at = 0; at < writes.length; at += rowsEach) {
      const part = writes.slice(at, at + rowsEach);
      if (part.length === rowsEach && allStand(part)) removeMany(...part.map(({ next }) => next.id));
      else for (const write of part) if (removeOne(write.next.id, write.expected) === 0) fallen.add(write);
    }
    return (write) => !fallen.has(write);
  };
}

/** Those of the row, and before its lease what the lease is compared by. */
function updateValues(next: TaskRow): Value[] {
  const values = rowValues(next);
  return [...values.slice(0, 9), next.worker, next.attempt, next.leasedUntil, ...values.slice(9)];
}

/** Takes what `addEvent` adds, one event after the other. */
export function eventInserter(db: DatabaseSync): (values: readonly Value[]) => void {
  return insert(db, insertEvent, eventWidth);
}
