// Writes what was decided about open tasks, where the version still stands.

import type { DatabaseSync } from "node:sqlite";
import type { TaskRow } from "../../core/task-row.ts";
import type { TaskWrite } from "../../ports/records.ts";
import { eventColumns, eventValues, eventWidth, outcomeValues, outcomeWidth, rowValues } from "./rows.ts";
import { change, insert, type Value } from "./statement.ts";

const deleteOpen = `
  delete from open_task
  where id = ? and version = ?`;

// Mirrors laterLease of core/lease.ts: an extension has kept the version.
const updateOpen = `
  update open_task
  set state = ?, version = ?, attempt = ?, failures = ?, losses = ?, worker = ?, run_at = ?, claimed_at = ?,
    started_at = ?,
    leased_until = case
      when worker = ? and attempt = ? and leased_until > ? then leased_until
      else ?
    end,
    due_at = ?, active_at = ?, progress = ?, children_total = ?, children_done = ?,
    children_failed = ?, patience = ?, checkpoint = ?
  where id = ? and version = ?`;

const insertOutcome = `
  insert into outcome (task, state, version, attempt, failures, losses, worker, claimed_at, started_at, finished_at,
    result, error, error_code, error_details, progress, children_total, children_done, children_failed, checkpoint)
  values`;

const insertEvent = `
  insert into task_event (${eventColumns})
  values`;

/** For each write, whether it was the one that counted. */
export type WriteTasks = (writes: readonly TaskWrite[]) => boolean[];

export function taskWriter(db: DatabaseSync): WriteTasks {
  const remove = change(db, deleteOpen);
  const update = change(db, updateOpen);
  const insertOutcomes = insert(db, insertOutcome, outcomeWidth);
  const insertEvents = eventInserter(db);

  return (writes) => {
    const outcomes: Value[] = [];
    const events: Value[] = [];
    const written = writes.map(({ expected, next, outcome, events: moves }) => {
      const stood =
        outcome === null ? update(...updateValues(next), next.id, expected) === 1 : remove(next.id, expected) === 1;
      if (!stood) return false;
      if (outcome !== null) outcomes.push(...outcomeValues(next, outcome));
      for (const move of moves) events.push(...eventValues(move));
      return true;
    });
    insertOutcomes(outcomes);
    insertEvents(events);
    return written;
  };
}

/** Those of the row, and before its lease what the lease is compared by. */
function updateValues(next: TaskRow): Value[] {
  const values = rowValues(next);
  return [...values.slice(0, 9), next.worker, next.attempt, next.leasedUntil, ...values.slice(9)];
}

/** Takes the values of `eventValues`, one event after the other. */
export function eventInserter(db: DatabaseSync): (values: readonly Value[]) => void {
  return insert(db, insertEvent, eventWidth);
}
