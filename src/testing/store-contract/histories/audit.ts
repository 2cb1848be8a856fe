// What must be true of a store whatever happened to it, and everything that can be read from it. Nothing here trusts
// the orders and counts a store keeps: they are worked out again from the tasks themselves.

import assert from "node:assert/strict";
import { historyFault } from "../../../core/history.ts";
import { rankOf } from "../../../core/lane.ts";
import { isDeferred, isFinal, type TaskRow } from "../../../core/task-row.ts";
import type { OpenTask, TaskRecord, TaskWrite } from "../../../ports/records.ts";
import type { Demand, ExchangeAnswer, Store } from "../../../ports/store.ts";
import type { HistoryRecord } from "../../../ports/store-reads.ts";
import { aNode, aPulse, nodeId, workerId } from "../../builders.ts";
import { isEmptyDepth } from "../depth-examples.ts";
import type { Known } from "./known.ts";
import type { Side } from "./side.ts";

const all = { limit: 1_000, offset: 0 };

/** Everything a store can tell, after a check that it holds together. */
export async function audit(side: Side, state: Known): Promise<unknown> {
  const store = side.stores.at(-1) as Store;
  const histories = await store.read("histories", { after: null, limit: 1_000 });
  for (const history of histories) checkHistory(history);
  const open = histories.map(({ task }) => task).filter((task) => !isFinal(task.row.state));
  const depths = (await store.read("depths", {})).filter((depth) => !isEmptyDepth(depth));
  assert.deepStrictEqual(depths, countedDepths(open), "depths are what the rows say");
  const beside = [];
  for (const task of state.written) {
    beside.push(await store.read("events", { task, ...all }));
    beside.push(await store.read("logs", { task, ...all }));
  }
  const workers = [0, 1, 2, 3, 4].map(workerId);
  return {
    ...{ histories, depths, beside },
    list: await store.read("taskList", all),
    catalog: await store.read("catalog", { after: 0 }),
    changes: await store.read("catalog", { after: 3 }),
    tombstones: await store.read("workers", { ids: workers }),
    tokens: await store.read("tokens", all),
    workerEvents: await Promise.all(workers.map((worker) => store.read("workerEvents", { worker, ...all }))),
    found: await findAll(store, open, state),
    messages: await findMessages(side, store, open, state),
    marks: await findMarks(store, state),
    pulse: await lastPulse(side, store, open),
  };
}

function checkHistory({ task, events }: HistoryRecord): void {
  const { row, outcome, card } = task;
  assert.equal(historyFault(events, row), null, `the history of ${card.id} folds into its row`);
  assert.equal(isFinal(row.state), outcome !== null, "a task has an outcome exactly when it is final");
  if (outcome !== null) assert.deepEqual([outcome.state, outcome.finishedAt], [row.state, events.at(-1)?.at]);
  const bare: (keyof TaskRow)[] = [];
  if (row.state === "claimed") bare.push("startedAt", "runAt");
  if (row.state === "running") bare.push("runAt");
  if (isFinal(row.state)) bare.push("runAt", "leasedUntil", "dueAt");
  for (const key of bare) assert.equal(row[key], null, `a ${row.state} task has no ${key}`);
  const waits = row.state === "running" && row.worker === null;
  if (waits) assert.notEqual(row.children?.total ?? null, null, "only a task that has deferred runs in nobody's hands");
  if (row.state === "claimed") assert.notEqual(row.worker, null, "a claimed task is in someone's hands");
}

function countedDepths(open: readonly OpenTask[]) {
  const lanes = [...new Set(open.map((task) => task.card.lane))].sort((a, b) => a - b);
  return lanes.flatMap((lane) => {
    const rows = open.filter((task) => task.card.lane === lane).map((task) => task.row);
    const ready = rows.filter(isReady).map((row) => row.id);
    const delayed = rows.filter((row) => row.state === "pending" && row.runAt !== null).length;
    const held = rows.filter((row) => row.worker !== null).length;
    const deferred = rows.filter(isDeferred).length;
    const depth = { lane, ready: ready.length, delayed, held, deferred, oldestId: ready.sort()[0] ?? null };
    return isEmptyDepth(depth) ? [] : [depth];
  });
}

async function findAll(store: Store, open: readonly OpenTask[], { now }: Known): Promise<unknown> {
  const workers = [0, 1, 2, 3, 4].map(workerId);
  const limit = 1_000;
  const due = await store.find("due", { now, limit });
  const overdue = open.map((task) => task.row).filter((row) => row.dueAt !== null && row.dueAt <= now);
  assert.deepEqual([...due].sort(), overdue.map((row) => row.id).sort(), "what is due is what the rows say");
  const held = await store.find("held", { workers, limit });
  assert.deepEqual(held, open.flatMap(({ row }) => (row.worker === null ? [] : [row.id])).sort());
  return {
    ...{ due, held },
    lost: await store.find("lost", { now: now + 60, heardMs: 100, limit }),
    forsaken: await store.find("forsaken", { limit }),
    children: await store.find("children", { parents: open.map((task) => task.card.id), limit }),
    orphans: await store.find("orphans", { limit }),
    outbox: [await store.find("outbox", { kind: "k0", limit }), await store.find("outbox", { kind: "k1", limit })],
  };
}

/** Whoever is ready is either unpublished or confirmed. */
async function findMessages(
  { lanes }: Side,
  store: Store,
  open: readonly OpenTask[],
  { now }: Known,
): Promise<unknown> {
  const ready = open.filter(({ row }) => isReady(row));
  const answers = [];
  for (const lane of lanes.filter((id) => id !== undefined)) {
    const query = { lane, activeBefore: now + 1, confirmedBefore: now + 1, limit: 1_000 };
    const [unpublished, unheeded] = [await store.find("unpublished", query), await store.find("unheeded", query)];
    assert.deepEqual(
      [...unpublished, ...unheeded].map(({ task, version }) => `${task} ${version}`).sort(),
      ready
        .filter(({ card }) => card.lane === lane)
        .map(({ row }) => `${row.id} ${row.version}`)
        .sort(),
    );
    answers.push(unpublished, unheeded);
  }
  return answers;
}

async function findMarks(store: Store, { ids }: Known): Promise<unknown> {
  const marks = ids.flatMap((task) => [0, 1].map((chunk) => ({ task, chunk })));
  return (await store.amend({ marks }, (view) => ({ answer: view.marks }))).answer;
}

async function lastPulse({ info }: Side, store: Store, open: readonly OpenTask[]): Promise<unknown> {
  const node = aNode({ id: nodeId(9) });
  const { now, nodes, ...pulse } = await store.pulse(aPulse({ node, leaseMs: 1_000_000_000_000 }));
  const rows = open.map((task) => task.row);
  const lanes = open.filter((task) => isReady(task.row)).map((task) => task.card.lane);
  assert.deepEqual(
    pulse.lanes,
    [...new Set(lanes)].sort((a, b) => a - b),
  );
  assert.equal(pulse.nextRunAt, earliest(rows.map((row) => row.runAt)));
  assert.equal(pulse.nextDueAt, earliest(rows.map((row) => row.dueAt)));
  return { ...pulse, nodes: nodes.map((other) => other.id), now: info.kind === "postgres" ? aPulse().now : now };
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null);
}

function isReady(row: TaskRow): boolean {
  return row.state === "pending" && row.runAt === null;
}

export async function openTasks(store: Store): Promise<TaskRecord[]> {
  const histories = await store.read("histories", { after: null, limit: 1_000 });
  return histories.map(({ task }) => task).filter((task) => task.outcome === null);
}

/** Works the claims of one exchange out again, by sorting all there is: no task goes before one that should. */
export async function auditClaims(
  store: Store,
  before: readonly TaskRecord[],
  writes: readonly TaskWrite[],
  demands: readonly Demand[],
  { written, claimed }: ExchangeAnswer,
): Promise<void> {
  const settled = new Map(writes.map((write, index) => [write.next.id, { next: write.next, counts: written[index] }]));
  const rows = before.map(({ card, row }) => {
    const write = settled.get(card.id);
    const moved = write?.counts && write.next.version !== row.version ? write.next : row;
    return { card, row: moved, free: write === undefined };
  });
  const { lanes } = await store.read("catalog", { after: 0 });
  const limits = new Map(lanes.map((lane) => [lane.id, lane.maxRunning]));
  let taken = new Set<string>();
  for (const [index, demand] of demands.entries()) {
    const got = (claimed[index] ?? []).flat().map((task) => task.card.id);
    const queue = rows
      .filter(({ card, row, free }) => free && isReady(row) && !taken.has(card.id) && demand.lanes.includes(card.lane))
      .sort((a, b) => rankOf(a.card.priority) - rankOf(b.card.priority) || (a.card.id < b.card.id ? -1 : 1))
      .filter(({ card }, place, queued) => {
        const max = demand.limited.includes(card.lane) ? (limits.get(card.lane) ?? null) : null;
        if (max === null) return true;
        const held = rows.filter((other) => other.card.lane === card.lane && holds(other, taken)).length;
        return queued.slice(0, place).filter((other) => other.card.lane === card.lane).length < max - held;
      });
    const wanted = await wantedBy(store, demand);
    assert.deepEqual(
      got,
      queue.slice(0, wanted).map(({ card }) => card.id),
      `claims of demand ${index}`,
    );
    taken = new Set([...taken, ...got]);
  }
}

function holds({ card, row }: OpenTask, taken: ReadonlySet<string>): boolean {
  return taken.has(card.id) || (!isFinal(row.state) && row.worker !== null);
}

async function wantedBy(store: Store, demand: Demand): Promise<number> {
  const workers = await store.read("workers", { ids: demand.takers.map((taker) => taker.worker) });
  const alive = new Set(
    workers.filter(({ session }) => session.lostAt === null && session.removedAt === null).map((w) => w.id),
  );
  return demand.takers.reduce((sum, taker) => sum + (alive.has(taker.worker) ? taker.limit : 0), 0);
}
