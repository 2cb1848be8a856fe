// Plays one operation on one store. What it does depends on the operation and on what is known, never on the store.

import { alertType } from "../../../core/alert.ts";
import { rankOf } from "../../../core/lane.ts";
import { profileNames } from "../../../core/liveness.ts";
import { hourMs } from "../../../core/statistics.ts";
import { uuid7 } from "../../../core/uuid7.ts";
import type { LogLine, Message, NewTask, OutboxItem, TaskWrite } from "../../../ports/records.ts";
import type { Beat, Demand, Store, SubmitCall } from "../../../ports/store.ts";
import type { Find } from "../../../ports/store-finds.ts";
import type { Reads } from "../../../ports/store-reads.ts";
import {
  aCall,
  aKey,
  aLogLine,
  aNode,
  anOutboxItem,
  aPulse,
  aRefusal,
  aSlice,
  aTask,
  aWorkerEvent,
  itemId,
  nodeId,
  taskId,
  workerId,
} from "../../builders.ts";
import { oneOf, pick, policies, texts } from "../../random-moves.ts";
import { isEmptyDepth } from "../depth-examples.ts";
import { askingFirst, decisionOf, Refused, scopeOf } from "./amendment.ts";
import { copyOf, type Known, laneKeys, writeOf } from "./known.ts";
import type { CallPlan, DemandPlan, MessagePlan, Operation, TaskPlan, WritePlan } from "./operations.ts";
import { pickFrom, scanAll } from "./picks.ts";
import type { Side } from "./side.ts";

const long = 1_000_000_000_000;

export async function perform(operation: Operation, side: Side, store: Store, state: Known): Promise<unknown> {
  switch (operation.do) {
    case "submit":
      return store.submit(callsOf(operation.calls, side, state));
    case "exchange": {
      const demands = operation.demands.map((plan) => demandOf(plan, side));
      return store.exchange(writesOf(operation.writes, state), demands, state.now);
    }
    case "amend": {
      const { plan } = operation;
      const decide = askingFirst(plan, state, decisionOf(plan, state, side.lanes));
      const amending = store.amend(scopeOf(plan, state), decide);
      return amending.catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        return "refused";
      });
    }
    case "beat":
      return store.beat(operation.workers.map((n) => beatOf(n, operation.ago * n, state.now)));
    case "promote":
      return store.promote(state.now, operation.limit);
    case "prune":
      return prune(operation, store, state);
    case "confirm":
      return store.confirm(messagesOf(operation.messages, state), state.now);
    case "append":
      return append(operation, store, state);
    case "pulse":
      return pulse(operation, side, store, state);
    case "find":
      return store.find(operation.kind, findQuery(operation.kind, operation.n, operation.limit, side, state));
    case "read":
      return read(operation, side, store, state);
    case "wait":
      return null;
  }
}

/** Ids of the tasks and outbox items are new. */
export function callsOf(plans: readonly CallPlan[], side: Side, state: Known): SubmitCall[] {
  let made = state.made;
  return plans.map((plan) => {
    const tasks = plan.tasks.map((task) => {
      made += 1;
      return newTask(task, arrivalId(state.now, made), side, state);
    });
    const outbox = Array.from({ length: plan.outbox }, (_, n): OutboxItem => {
      made += 1;
      return anOutboxItem({ id: itemId(made), kind: `k${n}`, at: state.now });
    });
    const names = new Set(plan.tasks.map((task) => laneKeys[task.lane]?.job as string));
    const jobs = [...names].map((name) => ({ name, revision: (state.revisions.get(name) as number) - plan.behind }));
    const key = plan.key === null ? null : aKey({ key: `k${plan.key}`, bodyHash: `${made}`, at: state.now });
    return aCall({ tasks, jobs, outbox, key });
  });
}

/** Made at most a few milliseconds ago: tasks do not arrive in the order of their ids, but never before their time. */
function arrivalId(now: number, made: number): string {
  return uuid7(now - ((made * 5) % 8), made % 7, Uint8Array.of(0, 0, 0, 0, 0, 0, made >>> 8, made & 0xff));
}

function newTask(plan: TaskPlan, id: string, side: Side, state: Known): NewTask {
  return aTask({
    id,
    lane: side.lanes[plan.lane] as number,
    room: oneOf(["@global", "lab", "x"], plan.text),
    submitter: oneOf(["ada", null, "Ada"], plan.text),
    priority: plan.priority,
    policy: oneOf(policies, plan.policy),
    payload: oneOf(texts, plan.text),
    parent: (plan.parent === null ? null : pick(state.ids, plan.parent)) ?? null,
    createdAt: state.now,
    runAt: plan.delayMs === null ? null : state.now + plan.delayMs,
  });
}

/** At most one write for each task. */
export function writesOf(plans: readonly WritePlan[], state: Known): TaskWrite[] {
  const writes = new Map<string, TaskWrite>();
  for (const plan of plans) {
    const task = copyOf(state, plan);
    const write = task === null ? null : writeOf(task, plan.moves, plan.detail, state.now);
    if (write !== null) writes.set(write.next.id, write);
  }
  return [...writes.values()];
}

export function demandOf(plan: DemandPlan, side: Side): Demand {
  const lanes = plan.lanes.map((n) => side.lanes[n] as number);
  return {
    lanes,
    limited: plan.limited ? lanes : [],
    takers: plan.takers.map((t) => ({ ...t, worker: workerId(t.worker) })),
  };
}

function messagesOf(plans: readonly MessagePlan[], state: Known): Message[] {
  return plans.flatMap(({ task, copy, ahead }) => {
    const id = pick(state.ids, task);
    const known = id === undefined ? undefined : state.copies.get(id)?.at(-1 - copy);
    return known === undefined ? [] : [{ task: known.row.id, version: known.row.version + (ahead ? 1 : 0) }];
  });
}

function prune(operation: Extract<Operation, { do: "prune" }>, store: Store, state: Known): Promise<number> {
  const before = state.now - operation.ago;
  if (operation.what === "tasks") {
    return store.prune(aSlice({ tasks: state.ids.filter((_, index) => index % 6 === operation.n) }));
  }
  if (operation.what === "finished") {
    return store.prune(aSlice({ finishedBefore: before, limit: 1 + operation.n }));
  }
  return store.prune(
    aSlice({ keysBefore: before, workerEventsBefore: before, auditBefore: before, workersBefore: before }),
  );
}

async function append(operation: Extract<Operation, { do: "append" }>, store: Store, state: Known): Promise<void> {
  const id = pick(state.ids, operation.task);
  const worker = workerId(operation.n % 5);
  const data = oneOf(texts, operation.n);
  const times = Array.from({ length: operation.times }, (_, n) => n);
  const workerEvents = [aWorkerEvent({ worker, at: state.now, data, ...(state.now % 2 === 0 && { type: alertType }) })];
  // Lines are for tasks that exist: whoever writes them has just seen the task.
  const seen = await store.read("tasks", { ids: id === undefined ? [] : [id] });
  if (id === undefined || seen.length === 0) return store.append({ workerEvents });
  return store.append({
    workerEvents,
    logs: times.map((n) => aLogLine({ task: id, at: state.now, attempt: n, message: data, ...saidBeside(n, data) })),
    refusals: times.map((n) => aRefusal({ task: id, at: state.now, attempt: n, worker, data })),
  });
}

function saidBeside(n: number, text: string): Pick<LogLine, "event" | "fields"> {
  return { ...(n % 2 === 1 && { event: text }), ...(n % 3 === 1 && { fields: text }) };
}

function beatOf(n: number, ago: number, now: number): Beat {
  const beat = { worker: workerId(n), at: now - ago };
  return ago % 3 === 0 ? beat : { ...beat, status: ago % 3 === 1 ? oneOf(texts, ago) : null };
}

async function pulse(operation: Extract<Operation, { do: "pulse" }>, side: Side, store: Store, state: Known) {
  const node = aNode({ id: nodeId(operation.node) });
  const answer = await store.pulse(aPulse({ node, now: state.now, leaseMs: long, staying: operation.staying }));
  // PostgreSQL counts by a clock of its own, so when each node was seen is not compared.
  const nodes = answer.nodes.map((other) => ({ ...other, seenAt: state.now }));
  return { ...answer, nodes, now: side.info.kind === "postgres" ? state.now : answer.now };
}

export function findQuery<K extends keyof Find>(
  kind: K,
  n: number,
  limit: number,
  side: Side,
  state: Known,
): Find[K]["query"] {
  const now = state.now;
  const lane = side.lanes[n % 6] as number;
  const before = now + 1 - (n % 50);
  const workers = [n, n >> 3].map((m) => workerId(m % 5));
  const parents = [n, n >> 3, n >> 6].flatMap((m) => pick(state.ids, m) ?? []);
  const profile = oneOf(profileNames, n);
  const queries: { [Kind in keyof Find]: Find[Kind]["query"] } = {
    due: { now: now + (n % 50), limit },
    lost: { now: now + (n % 50), heardMs: 50 + (n % 70), limit },
    untold: { now: now + (n % 50), heardMs: 20 + (n % 40), limit },
    offline: { profile, lostBefore: now, limit },
    removed: { limit },
    forsaken: { limit },
    held: { workers: [...new Set(workers)], limit },
    children: { parents: [...new Set(parents)], limit },
    orphans: { limit },
    commands: { workers: [...new Set(workers)], now, limit },
    outbox: { kind: `k${n % 2}`, limit },
    outboxKinds: { limit },
    unpublished: { lane, activeBefore: before, limit },
    unheeded: { lane, confirmedBefore: before, limit },
  };
  return queries[kind];
}

async function read({ kind, n, limit }: Extract<Operation, { do: "read" }>, side: Side, store: Store, state: Known) {
  if (kind === "taskScan") return scanAll(store, readQuery(kind, n, limit, side, state));
  const answer = await store.read(kind, readQuery(kind, n, limit, side, state));
  if (kind !== "depths") return answer;
  return (answer as Reads["depths"]["answer"]).filter((depth) => !isEmptyDepth(depth));
}

export function readQuery<K extends keyof Reads>(
  kind: K,
  n: number,
  limit: number,
  side: Side,
  state: Known,
): Reads[K]["query"] {
  const page = { limit, offset: n % 4 };
  const ids = [...new Set([n, n >> 2, n >> 4].flatMap((m) => pick(state.ids, m) ?? []))];
  const id = ids[0] ?? taskId(1);
  const lanes = side.lanes.slice(0, 6).filter((_, index) => ((n >> index) & 1) === 1);
  const queries: { [Kind in keyof Reads]: Reads[Kind]["query"] } = {
    tasks: { ids: [...ids, taskId(2)] },
    taskList: { ...page, ...filterOf(n, id, lanes) },
    taskScan: {
      ...{
        pick: pickFrom(n, { now: state.now, id, lanes }),
        before: null,
        rows: 1 + (n % 7),
        limit: Math.max(1, limit),
      },
      want: oneOf(["ids", "states", "bare", "whole"], n),
    },
    events: { ...page, task: id },
    logs: { ...page, task: id },
    workerEvents: { ...page, worker: workerId(n % 5) },
    alerts: { ...page, ...((n & 1) === 0 ? {} : { workers: [workerId(n % 5), workerId(n % 3)] }) },
    catalog: { after: n % 12 },
    workers: { ids: [n % 5, (n + 2) % 5, 9].map(workerId) },
    holdings: { workers: [n % 5, (n + 2) % 5, 9].map(workerId) },
    size: {},
    workDone: { worker: workerId(n % 5) },
    positions: { asked: [0, 5, -5].slice(0, 1 + (n % 3)).map((each) => ({ id, rank: rankOf(each), lanes })) },
    load: { workers: [n % 5, (n + 2) % 5, 9].map(workerId), lanes },
    message: { task: id },
    toldInFront: { lane: side.lanes[n % 6] as number, confirmedSince: state.now + 1 - (n % 50), among: n % 7 },
    depths: {},
    key: { scope: aKey().scope, key: `k${n % 4}` },
    token: n % 2 === 0 ? { id: `t${n % 5}` } : { hash: `${n % 5}`.repeat(64) },
    tokens: page,
    audit: page,
    commands: { ...page, worker: workerId(n % 5) },
    command: { id: `c${n % 5}` },
    provider: { name: `lab:files:${n % 3}` },
    providers: { ...page, rooms: null },
    histories: { after: n % 3 === 0 ? null : id, limit },
    nodes: { now: state.now },
    childActivity: { parents: ids },
    roomDepths: { rooms: n % 5 === 0 ? ["lab"] : ["@global", "x"], lanes },
    statistics: { ...noSpan, byJob: true },
    failures: { ...page, ...noSpan, fingerprint: null, sort: "last" },
  };
  return queries[kind];
}

/** What is counted stands beside the tasks, and has examples of its own. */
const noSpan = { since: 0, until: hourMs, widthMs: hourMs, keptMs: hourMs, rooms: null, jobs: null };

function filterOf(n: number, parent: string, lanes: readonly number[]) {
  const states = ["pending", "claimed", "running", "completed", "failed", "cancelled"] as const;
  return {
    ...((n & 1) === 0 ? {} : { state: oneOf(states, n >> 3) }),
    ...((n & 2) === 0 ? {} : { rooms: n % 5 === 0 ? ["lab"] : ["@global", "x"] }),
    ...((n & 4) === 0 ? {} : { lanes }),
    ...((n & 24) !== 24 ? {} : { parent }),
    ...((n & 96) !== 96 ? {} : { worker: workerId(n % 5) }),
  };
}
