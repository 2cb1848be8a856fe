import type { DatabaseSync } from "node:sqlite";
import { refusalsMax } from "../../core/task-event.ts";
import type { LogLine, Refusal, WorkerEvent } from "../../ports/records.ts";
import type { Lines } from "../../ports/store.ts";
import { change } from "./statement.ts";

// Lines of a task that is no longer there would never be read, nor pruned.
const insertLog = `
  insert into log_line (task, attempt, at, level, message, event, fields)
  select id, ?, ?, ?, ?, ?, ?
  from task
  where id = ?`;

const insertRefusal = `
  insert into refusal (task, number, at, attempt, worker, data, times)
  select id, 1 + (select count(*) from refusal where task = id), ?, ?, ?, ?, 1
  from task
  where id = ? and ? > (select count(*) from refusal where task = id)`;

const countRefusal = `
  update refusal
  set times = times + 1
  where task = ? and number = ?`;

const insertWorkerEvent = `
  insert into worker_event (worker, at, type, data)
  values (?, ?, ?, ?)`;

export function append(db: DatabaseSync): (lines: Lines) => void {
  const log = logInserter(db);
  const refuse = refuser(db);
  const workerEvent = workerEventInserter(db);

  return ({ logs = [], workerEvents = [], refusals = [] }) => {
    for (const line of logs) log(line);
    for (const refusal of refusals) refuse(refusal);
    for (const event of workerEvents) workerEvent(event);
  };
}

function logInserter(db: DatabaseSync): (line: LogLine) => void {
  const insert = db.prepare(insertLog);
  return ({ task, attempt, at, level, message, event = null, fields = null }) =>
    void insert.run(attempt, at, level, message, event, fields, task);
}

function refuser(db: DatabaseSync): (refusal: Refusal) => void {
  const insert = change(db, insertRefusal);
  const count = change(db, countRefusal);
  return ({ task, at, attempt, worker, data }) => {
    if (insert(at, attempt, worker, data, task, refusalsMax) === 0) count(task, refusalsMax);
  };
}

export function workerEventInserter(db: DatabaseSync): (event: WorkerEvent) => void {
  const insert = db.prepare(insertWorkerEvent);
  return ({ worker, at, type, data }) => void insert.run(worker, at, type, data);
}
