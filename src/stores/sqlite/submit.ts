import type { DatabaseSync } from "node:sqlite";
import { rankOf } from "../../core/lane.ts";
import { newTaskRow, submittedEvent } from "../../core/task-row.ts";
import type { NewTask } from "../../ports/records.ts";
import type { SubmitAnswer, SubmitCall } from "../../ports/store.ts";
import { auditWriter } from "./audit.ts";
import { keyFinder, keyInserter } from "./keys.ts";
import { outboxInserter } from "./outbox.ts";
import { addEvent, taskColumns, taskValues } from "./rows.ts";
import { insert, query, type Value } from "./statement.ts";
import { eventInserter } from "./write-tasks.ts";

const selectRevision = `
  select revision
  from job
  where name = ? and deleted = 0`;

const selectOpen = `
  select 1
  from open_task
  where id = ?`;

const insertTask = `
  insert or fail into task (id, lane, room, priority, policy, parent, retry_of, submitter, checksum, logs, created_at, payload)
  values`;

const insertOpen = `
  insert or fail into open_task (id, lane, rank, parent, state, version, attempt, failures, losses, run_at, active_at)
  values`;

const openWidth = 11;

export type Submit = (calls: readonly SubmitCall[]) => SubmitAnswer[];

export function submit(db: DatabaseSync): Submit {
  const firstUse = keyFinder(db);
  const revision = query<[number]>(db, selectRevision);
  const open = query<[number]>(db, selectOpen);
  const insertTasks = taskInserter(db);
  const insertKey = keyInserter(db);
  const insertOutbox = outboxInserter(db);
  const writeEntry = auditWriter(db);

  function refusal({ tasks, jobs, key }: SubmitCall): SubmitAnswer | null {
    const first = key === null ? null : firstUse(key);
    if (first !== null) return { kind: "repeated", first };
    for (const job of jobs) {
      if (revision.get(job.name)?.[0] !== job.revision) return { kind: "job-changed", job: job.name };
    }
    for (const { card } of tasks) {
      if (card.parent !== null && open.get(card.parent) === undefined) {
        return { kind: "parent-closed", parent: card.parent };
      }
    }
    return null;
  }

  return (calls) => {
    // Accepted tasks are gathered, so that a thousand small calls are inserted like one large one. A call with a parent
    // must find those before it.
    let accepted: NewTask[] = [];
    const answers = calls.map((call): SubmitAnswer => {
      if (call.tasks.some((task) => task.card.parent !== null)) {
        insertTasks(accepted);
        accepted = [];
      }
      const refused = refusal(call);
      if (refused !== null) return refused;
      accepted.push(...call.tasks);
      if (call.key !== null) insertKey(call.key);
      for (const item of call.outbox) insertOutbox(item);
      for (const entry of call.audit ?? []) writeEntry(entry);
      return { kind: "accepted" };
    });
    insertTasks(accepted);
    return answers;
  };
}

function taskInserter(db: DatabaseSync): (tasks: readonly NewTask[]) => void {
  const insertCards = insert(db, insertTask, taskColumns);
  const insertRows = insert(db, insertOpen, openWidth);
  const insertEvents = eventInserter(db);

  return (tasks) => {
    const cards: Value[] = [];
    const rows: Value[] = [];
    const events: Value[] = [];
    for (const task of tasks) {
      const { id, lane, priority, parent, createdAt } = task.card;
      const row = newTaskRow(id, createdAt, task.runAt);
      const { state, version, attempt, failures, losses, runAt, activeAt } = row;
      cards.push(...taskValues(task));
      rows.push(id, lane, rankOf(priority), parent, state, version, attempt, failures, losses, runAt, activeAt);
      addEvent(events, submittedEvent(row));
    }
    insertCards(cards);
    insertRows(rows);
    insertEvents(events);
  };
}
