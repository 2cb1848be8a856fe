// A million tasks that ended, a week of them, by copying one in its own database: it would take an hour to have them done.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface Million {
  readonly tasks: number;
  /** How many of them failed, and in the same words. */
  readonly failed: number;
}

const tasks = 1_000_000;
/** So many are written at a time: a server that wants to write something too waits for no more than these. */
const slice = 50_000;
const failedEvery = 1_000;
const weekMs = 604_800_000n;

/** `like` is a task that was completed; each copy has a picture of its own among ten thousand. */
export function copyAMillionTimes(folder: string, like: string): Million {
  const database = new DatabaseSync(join(folder, "leadhand.db"), { timeout: 30_000 });
  const [copyTasks, copyOutcomes] = [database.prepare(taskCopies), database.prepare(outcomeCopies)];
  for (let from = 0; from < tasks; from += slice) {
    // As big integers: numbers would be bound as fractions.
    const bounds = { from: BigInt(from), to: BigInt(from + slice - 1), like, weekMs, tasks: BigInt(tasks) };
    database.exec("begin immediate");
    copyTasks.run(bounds);
    copyOutcomes.run({ ...bounds, failedEvery: BigInt(failedEvery) });
    database.exec("commit");
  }
  database.close();
  return { tasks, failed: tasks / failedEvery };
}

/** The first is a week older than its model, the last just older. */
const copies = `
  with recursive
    copy (n) as (select $from union all select n + 1 from copy where n < $to),
    at (n, ms) as (select n, created_at - $weekMs + n * $weekMs / $tasks from copy, task where id = $like),
    named (n, ms, id) as (
      select n, ms, printf('%08x-%04x-7000-8000-%012x', ms >> 16, ms & 65535, n) from at
    )`;

const taskCopies = `${copies}
  insert into task (id, lane, room, priority, policy, submitter, checksum, created_at, payload)
  select named.id, lane, room, priority, policy, submitter, checksum, ms,
    json_object('picture', 'copy-' || (n % 10000) || '.png', 'angle', n % 360)
  from named, task
  where task.id = $like
  order by n`;

const outcomeCopies = `${copies}
  insert into outcome (task, state, version, attempt, failures, losses, worker, claimed_at, started_at, finished_at, result, error)
  select named.id, iif(n % $failedEvery = 7, 'failed', 'completed'), version, attempt, failures, losses, worker, ms, ms, ms + 5,
    iif(n % $failedEvery = 7, null, result), iif(n % $failedEvery = 7, 'The lens is dusty', null)
  from named, outcome
  where outcome.task = $like
  order by n`;
