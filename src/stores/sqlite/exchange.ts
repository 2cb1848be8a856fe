// Settling and claiming. What a batch has in common is said once for many tasks.

import type { DatabaseSync } from "node:sqlite";
import { policyDueMs } from "../../core/deadline.ts";
import type { TaskRow } from "../../core/task-row.ts";
import type { ClaimedTask, TaskWrite } from "../../ports/records.ts";
import type { Demand, ExchangeAnswer, Taker } from "../../ports/store.ts";
import { type CardValues, cardColumns, cardOf, childrenOf, eventColumns } from "./rows.ts";
import { change, insertWith, lists, query, rowsEach, type Value } from "./statement.ts";
import { supply } from "./supply.ts";
import { taskWriter } from "./write-tasks.ts";

const selectAlive = `
  select 1
  from session
  where worker = ? and lost_at is null and removed_at is null`;

// The cross joins keep the order of the list.
const selectPicked = `
  select ${cardColumns}, t.payload, o.version, o.attempt, o.failures, o.losses, o.children_total,
    o.children_done, o.children_failed, o.children_more, o.checkpoint
  from json_each(?) p
  cross join open_task o on o.id = p.value
  cross join task t on t.id = o.id`;

// Mirrors the rules for "claim" and "assign" in core/task.ts; the contract test holds the two together.
const updatePicked = (list: string): string => `
  update or fail open_task
  set state = ?, version = version + 1, attempt = attempt + 1, worker = ?, claimed_at = ?, started_at = ?,
    leased_until = ?, due_at = ?, active_at = ?
  where id in ${list}`;

const insertTaken = (list: string): string => `
  insert or fail into task_event (${eventColumns})
  select column1, column2, ?, ?, ?, column3, ?, null
  from (values ${list})`;

const updateDue = `
  update open_task
  set due_at = ?
  where id = ?`;

type PickedValues = [
  ...CardValues,
  ...[payload: string, version: number, attempt: number, failures: number, losses: number],
  ...[total: number | null, done: number | null, failed: number | null],
  ...[more: string | null, checkpoint: string | null],
];

export type Exchange = (writes: readonly TaskWrite[], demands: readonly Demand[], now: number) => ExchangeAnswer;

export function exchange(db: DatabaseSync): Exchange {
  const write = taskWriter(db);
  const alive = query<[number]>(db, selectAlive);
  const idsFor = supply(db);
  const take = taking(db);

  function serve(demand: Demand, settled: ReadonlySet<string>, now: number): ClaimedTask[][] {
    const limits = demand.takers.map((taker) => (alive.get(taker.worker) === undefined ? 0 : taker.limit));
    const wanted = limits.reduce((sum, limit) => sum + limit, 0);
    const ids = wanted === 0 ? [] : idsFor(demand, wanted, settled);
    return demand.takers.map((taker, index) => take(taker, ids.splice(0, limits[index]), now));
  }

  return (writes, demands, now) => {
    const written = write(writes);
    const settled = new Set(demands.length === 0 ? [] : writes.map((each) => each.next.id));
    return { written, claimed: demands.map((demand) => serve(demand, settled, now)) };
  };
}

function taking(db: DatabaseSync): (taker: Taker, ids: readonly string[], now: number) => ClaimedTask[] {
  const picked = query<PickedValues>(db, selectPicked);
  const update = pickedUpdater(db);
  const setDue = change(db, updateDue);
  const insertEvents = insertWith(db, insertTaken, 3);

  return (taker, ids, now) => {
    if (ids.length === 0) return [];
    const list = JSON.stringify(ids);
    const tasks = picked.all(list).map((values) => taken(values, taker, now));
    const state = taker.assign ? "running" : "claimed";
    const dueAt = after(now, taker.dueMs);
    const common = [state, taker.worker, now, taker.assign ? now : null, after(now, taker.leaseMs), dueAt, now];
    update(common, ids);
    for (const { row } of tasks) if (row.dueAt !== dueAt) setDue(row.dueAt, row.id);

    const events: Value[] = [];
    for (const { row } of tasks) events.push(row.id, row.version, row.attempt);
    insertEvents([now, taker.assign ? "task.assigned" : "task.claimed", state, taker.worker], events);
    return tasks;
  };
}

/** SQLite sorts a list before it looks for what is in it, and a list of many costs twice as much as one id. */
const oneByOneMax = 4;

function pickedUpdater(db: DatabaseSync): (common: readonly Value[], ids: readonly string[]) => void {
  const one = change(db, updatePicked(lists(1, 1)));
  const many = change(db, updatePicked(lists(rowsEach, 1)));
  return (common, ids) => {
    if (ids.length <= oneByOneMax) for (const id of ids) one(...common, id);
    else for (let at = 0; at < ids.length; at += rowsEach) many(...common, ...filledUp(ids.slice(at, at + rowsEach)));
  };
}

/** As many as the statement takes: an id that is named twice is still one. */
function filledUp(ids: readonly string[]): readonly string[] {
  return ids.length === rowsEach ? ids : [...ids, ...Array<string>(rowsEach - ids.length).fill(ids[0] as string)];
}

function taken(values: PickedValues, taker: Taker, now: number): ClaimedTask {
  const card = cardOf(values);
  const own = policyDueMs(card.policy);
  const dueMs = own === null || (taker.dueMs !== null && taker.dueMs < own) ? taker.dueMs : own;
  const row: TaskRow = {
    id: card.id,
    state: taker.assign ? "running" : "claimed",
    version: values[12] + 1,
    attempt: values[13] + 1,
    failures: values[14],
    losses: values[15],
    worker: taker.worker,
    runAt: null,
    claimedAt: now,
    startedAt: taker.assign ? now : null,
    leasedUntil: after(now, taker.leaseMs),
    dueAt: after(now, dueMs),
    activeAt: now,
    progress: null,
    children: childrenOf(values[16], values[17], values[18], null, values[19]),
    checkpoint: values[20],
  };
  return { card, row, payload: values[11] };
}

function after(now: number, ms: number | null): number | null {
  return ms === null ? null : now + ms;
}
