// Things for tests, complete and valid. A test names only what it is about; everything else is dull on purpose.

import type { LaneKey } from "../core/lane.ts";
import type { Session } from "../core/liveness.ts";
import { noOrders } from "../core/orders.ts";
import type { Pause } from "../core/pause.ts";
import type { Move } from "../core/task.ts";
import { transition } from "../core/task.ts";
import { newTaskRow, type TaskRow } from "../core/task-row.ts";
import { uuid7 } from "../core/uuid7.ts";
import type { PulseRequest } from "../ports/pulse.ts";
import type {
  AuditEntry,
  CommandRecord,
  IdempotencyKey,
  JobRecord,
  LogLine,
  NewTask,
  NodeRecord,
  OpenTask,
  OutboxItem,
  ProviderRecord,
  Refusal,
  Spec,
  TaskCard,
  TaskWrite,
  TokenRecord,
  WorkerEvent,
  WorkerRecord,
} from "../ports/records.ts";
import type { Demand, PruneSlice, SubmitCall, Taker } from "../ports/store.ts";
import { worldStart } from "./manual-clock.ts";

/** The n-th task's id: valid, and in order of n. */
export const taskId = (n: number): string => idOf(n, 1);
export const workerId = (n: number): string => idOf(n, 2);
export const jobId = (n: number): string => idOf(n, 3);
export const nodeId = (n: number): string => idOf(n, 4);
export const itemId = (n: number): string => idOf(n, 5);
export const providerId = (n: number): string => idOf(n, 6);

function idOf(n: number, kind: number): string {
  return uuid7(worldStart + n, 0, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, kind));
}

export const jobName = "@global:tests:Echo";

export function aCard(about: Partial<TaskCard> = {}): TaskCard {
  return {
    id: taskId(1),
    lane: 1,
    room: "@global",
    priority: 0,
    policy: {},
    parent: null,
    retryOf: null,
    submitter: null,
    checksum: "sha256:aa",
    logs: null,
    createdAt: worldStart,
    ...about,
  };
}

export function aTask(about: Partial<TaskCard> & Partial<Pick<NewTask, "payload" | "runAt">> = {}): NewTask {
  const { payload = "{}", runAt = null, ...card } = about;
  return { card: aCard(card), payload, runAt };
}

export function aRow(about: Partial<TaskRow> = {}): TaskRow {
  return { ...newTaskRow(taskId(1), worldStart, null), ...about };
}

export function aCall(about: Partial<SubmitCall> = {}): SubmitCall {
  return { tasks: [], jobs: [], key: null, outbox: [], ...about };
}

export function aKey(about: Partial<IdempotencyKey> = {}): IdempotencyKey {
  return { scope: "ada /v1/tasks", key: "k1", bodyHash: "h1", answer: '{"id":1}', at: worldStart, ...about };
}

export function anOutboxItem(about: Partial<OutboxItem> = {}): OutboxItem {
  return { id: itemId(1), kind: "webhook", key: "k", data: null, at: worldStart, ...about };
}

export function aSpec(about: Partial<Spec> = {}): Spec {
  return { schema: "{}", output: null, queue: null, labels: null, policy: null, push: null, ...about };
}

export function aJob(about: Partial<JobRecord> = {}): JobRecord {
  return {
    name: jobName,
    id: jobId(1),
    room: "@global",
    spec: aSpec(),
    checksum: "sha256:aa",
    checksumAt: worldStart + 1,
    source: "worker",
    deleted: false,
    createdAt: worldStart,
    revision: 1,
    ...about,
  };
}

export function aLaneKey(about: Partial<LaneKey> = {}): LaneKey {
  return { job: jobName, queue: "default", labels: {}, checksum: "", ...about };
}

export function aSession(about: Partial<Session> = {}): Session {
  return {
    ...{ seenAt: worldStart, unreachableMs: null, lostMs: 60_000, lostAt: null, removedAt: null, told: "ONLINE" },
    ...about,
  };
}

export function aWorker(
  about: Partial<Omit<WorkerRecord, "session">> & { readonly session?: Partial<Session> } = {},
): WorkerRecord {
  return {
    id: workerId(1),
    profile: "rest",
    owner: null,
    name: null,
    hostname: null,
    os: null,
    about: null,
    queues: null,
    labels: {},
    jobs: new Map([[jobName, null]]),
    paused: false,
    draining: false,
    orders: noOrders,
    createdAt: worldStart,
    status: null,
    ...about,
    session: aSession(about.session),
  };
}

export function aTaker(about: Partial<Taker> = {}): Taker {
  return { worker: workerId(1), limit: 1, assign: false, dueMs: null, leaseMs: null, ...about };
}

export function aDemand(about: Partial<Demand> = {}): Demand {
  return { lanes: [1], limited: [], takers: [aTaker()], ...about };
}

/** The write that one or more moves come to. */
export function aWrite(task: OpenTask, moves: readonly Move[], now: number): TaskWrite {
  const around = { now, policy: task.card.policy, profile: null, jitter: 0.5 };
  let write: TaskWrite = { expected: task.row.version, next: task.row, outcome: null, events: [] };
  for (const move of moves) {
    const { next, event, outcome } = transition(write.next, move, around);
    write = { ...write, next, outcome, events: [...write.events, event] };
  }
  return write;
}

export function aLogLine(about: Partial<LogLine> = {}): LogLine {
  return { task: taskId(1), attempt: 1, at: worldStart, level: "info", message: "hello", ...about };
}

export function aRefusal(about: Partial<Refusal> = {}): Refusal {
  return { task: taskId(1), at: worldStart, attempt: 1, worker: workerId(1), data: null, ...about };
}

export function aWorkerEvent(about: Partial<WorkerEvent> = {}): WorkerEvent {
  return { worker: workerId(1), at: worldStart, type: "worker.registered", data: null, ...about };
}

export function aToken(about: Partial<TokenRecord> = {}): TokenRecord {
  return {
    ...{ id: "t1", kind: "api", parent: null },
    ...{ hash: "1".repeat(64), name: null, user: "ada", role: "user", rooms: null, jobs: null },
    ...{ createdAt: worldStart, expiresAt: null, revokedAt: null },
    ...about,
  };
}

export function aPause(about: Partial<Pause> = {}): Pause {
  return {
    ...{ kind: "job", name: "lab:a:job", by: "ada", note: null, at: worldStart, until: null, endedAt: null },
    ...about,
  };
}

export function aCommand(about: Partial<CommandRecord> = {}): CommandRecord {
  return {
    ...{ id: "c1", worker: workerId(1), type: "drain", args: null, by: "ada", note: null, at: worldStart },
    ...{ expiresAt: null, deliveredAt: null, ackedAt: null, answer: null },
    ...about,
  };
}

export function anEntry(about: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ id: "e1", at: worldStart, actor: "ada", token: null, action: "worker.pause", kind: "worker", target: "w1" },
    ...{ note: null, data: null },
    ...about,
  };
}

export function aProvider(about: Partial<ProviderRecord> = {}): ProviderRecord {
  return {
    ...{ id: providerId(1), name: "lab:files:reader", room: "lab", schema: "{}", contentType: "application/json" },
    ...{ worker: workerId(1), owner: "ada", createdAt: worldStart },
    ...about,
  };
}

export function aNode(about: Partial<NodeRecord> = {}): Omit<NodeRecord, "seenAt"> {
  return { id: nodeId(1), startedAt: worldStart, version: "0.0.0", address: null, skewMs: 0, load: null, ...about };
}

export function aPulse(about: Partial<PulseRequest> = {}): PulseRequest {
  return { node: aNode(), now: worldStart, leaseMs: 5_000, heardMs: 2 ** 50, staying: true, ...about };
}

/** A slice that removes nothing but what is named. */
export function aSlice(about: Partial<PruneSlice> = {}): PruneSlice {
  return {
    tasks: [],
    finishedBefore: null,
    keysBefore: 0,
    workerEventsBefore: null,
    auditBefore: null,
    workersBefore: null,
    sessionsBefore: null,
    limit: 1_000,
    ...about,
  };
}
