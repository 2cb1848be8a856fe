// Answers that were lost on the way. An exchange that was committed although its answer never came has given tasks to
// workers that do not know of them: they are released, and the claim is made anew.

import { transition } from "../../core/task.ts";
import type { TaskEvent } from "../../core/task-event.ts";
import type { TaskRow } from "../../core/task-row.ts";
import type { TaskWrite } from "../../ports/records.ts";
import { plainArray, textArray } from "./arrays.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import type { Backend } from "./failure.ts";
import { untilGone } from "./patience.ts";
import { openColumns, type RowTuple, rowOf } from "./rows.ts";
import { settle } from "./settle.ts";
import { ask, type Statement } from "./statement.ts";

/** An exchange without an answer. */
export interface Stray {
  readonly ticket: number;
  /** With whom the connection was lost; null where it was not, and nothing is under way any more. */
  readonly backend: Backend | null;
  readonly workers: readonly string[];
  readonly now: number;
}

/** Kept until the database is back, even if the call was given up; see giving-back.ts. */
export type Strays = Set<Stray>;

const selectClaims: Statement = {
  name: "select_claims",
  text: `
    with o as materialized (
      select t.*
      from unnest($1::text[]) w (worker)
      join open_task t on t.worker = w.worker
      where t.ticket = $2
        and t.claimed_at = $3
    )
    select o.id, ${openColumns}
    from o
    order by o.id`,
};

const selectEvents: Statement = {
  name: "select_moves",
  text: `
    select e.task, e.version, e.at, e.type, e.worker, e.data
    from unnest($1::uuid[], $2::integer[]) n (task, version)
    join task_event e on e.task = n.task and e.version = n.version`,
};

/** Releases what the lost exchanges claimed. Answers the tickets of those that had claimed something. */
export async function bringBack(database: Database): Promise<Set<number>> {
  const found = new Set<number>();
  for (const stray of [...database.strays]) {
    await untilGone(database.writers, stray.backend === null ? [] : [stray.backend]);
    if (await release(database, stray)) found.add(stray.ticket);
    database.strays.delete(stray);
  }
  return found;
}

async function release(database: Database, { ticket, workers, now }: Stray): Promise<boolean> {
  return lend(database.writers, async (client) => {
    const claims = await ask<[string, ...RowTuple]>(client, selectClaims, [textArray(workers), ticket, now]);
    if (claims.length === 0) return false;
    const writes = claims.map(([id, ...row]) => releaseOf(rowOf(id, row), now));
    const { learn } = await settle(database, client, writes);
    learn();
    database.log.warn("Released tasks whose workers were never told", { tasks: writes.length });
    return true;
  });
}

function releaseOf(row: TaskRow, now: number): TaskWrite {
  const move = { type: "release", reason: "answer_lost" } as const;
  const { next, event, outcome } = transition(row, move, { now, policy: {}, profile: null, jitter: 0 });
  return { expected: row.version, next, outcome, events: [event] };
}

/** For each write, whether its last event is in the history as we would have written it. */
export async function inHistory(database: Database, writes: readonly TaskWrite[]): Promise<boolean[]> {
  const events = writes.map((write) => write.events.at(-1));
  const known = events.filter((event) => event !== undefined);
  if (known.length === 0) return writes.map(() => false);
  const values = [plainArray(known.map((event) => event.task)), plainArray(known.map((event) => event.version))];
  type Found = [task: string, version: number, at: number, type: string, worker: string | null, data: string | null];
  const found = await lend(database.writers, (client) => ask<Found>(client, selectEvents, values));
  const moves = new Set(found.map((tuple) => JSON.stringify(tuple)));
  return events.map((event) => event !== undefined && moves.has(moveText(event)));
}

function moveText({ task, version, at, type, worker, data }: TaskEvent): string {
  return JSON.stringify([task, version, at, type, worker, data]);
}
