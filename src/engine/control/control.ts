// What an operator does to the fleet. Each act is one transaction: what changes, the command for the worker, the line of
// its history, and the line of the audit. From its commit on this server gives nothing new where nothing new may be given,
// and so does every other as soon as it hears of it: by the bus, or with its next pulse. Whether the worker has heard of it
// makes no difference to that.

import { isGivenUp } from "../../core/liveness.ts";
import { noOrders, type Orders } from "../../core/orders.ts";
import { counting, type Pause, pauseKey } from "../../core/pause.ts";
import { Problem } from "../../core/problem.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import type { Amendment, AmendView } from "../../ports/store.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import { workerEvent } from "../worker-record.ts";
import { type By, type CommandType, newCommand } from "./command.ts";

export type { By };

export interface Control {
  /** Nothing new for it until then, or until it is resumed; what it has goes on. */
  pauseWorker(by: By, id: string, until: number | null): Promise<WorkerRecord>;
  /** Ends a pause and a drain; where there is neither, nothing changes and nothing is written. */
  resumeWorker(by: By, id: string): Promise<WorkerRecord>;
  /** Nothing new for it; what it still holds after so long goes to others. */
  drainWorker(by: By, id: string, deadlineMs: number | null): Promise<WorkerRecord>;
  /** It holds no more than so many tasks; null: as many as it wants. */
  limitWorker(by: By, id: string, value: number | null): Promise<WorkerRecord>;
  pause(by: By, kind: "job" | "queue", name: string, until: number | null): Promise<Pause>;
  /** The pause that has ended; null where there was none. */
  resume(by: By, kind: "job" | "queue", name: string): Promise<Pause | null>;
}

export interface WorkerAct {
  readonly type: CommandType;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly until?: number | null;
  /** Of the worker's history; absent: none. */
  readonly event?: "worker.paused" | "worker.resumed" | "worker.draining";
  /** What becomes of the record. */
  readonly change?: (worker: WorkerRecord) => Partial<Pick<WorkerRecord, "draining" | "orders">>;
  readonly pauses?: readonly Pause[];
}

export function control(around: Surroundings, catalog: Catalog): Control {
  const { store, clock, bus } = around;

  async function told<T>(answer: T): Promise<T> {
    await catalog.refresh();
    bus.publish("catalog");
    return answer;
  }

  async function act(by: By, id: string, what: (now: number) => WorkerAct): Promise<WorkerRecord> {
    const { answer } = await store.amend({ workers: [id], pauses: [{ kind: "worker", name: id }] }, (view) =>
      workerAmendment(around, by, presentWorker(id, view.workers.get(id)), what),
    );
    return told(answer);
  }

  return {
    pauseWorker: (by, id, until) =>
      act(by, id, (now) => ({
        ...{ type: "pause", args: { until: timeText(until) }, until, event: "worker.paused" },
        pauses: [newPause(by, "worker", id, until, now)],
      })),
    async resumeWorker(by, id) {
      const { answer } = await store.amend({ workers: [id], pauses: [{ kind: "worker", name: id }] }, (view) => {
        const worker = presentWorker(id, view.workers.get(id));
        const pauses = endedPauses(view, "worker", id, clock.now());
        const isHeldBack = pauses.length > 0 || worker.draining || worker.orders.drain !== null;
        return isHeldBack ? workerAmendment(around, by, worker, () => resumeAct(pauses)) : { answer: worker };
      });
      return told(answer);
    },
    drainWorker: (by, id, deadlineMs) => act(by, id, (now) => drainAct(by, now, deadlineMs)),
    limitWorker: (by, id, value) =>
      act(by, id, (at) => ({
        ...{ type: "concurrency", args: { value } },
        change: ({ orders }) => ({
          orders: { ...orders, concurrency: value === null ? null : { value, by: by.who.user, note: by.note, at } },
        }),
      })),
    async pause(by, kind, name, until) {
      const pause = newPause(by, kind, name, until, clock.now());
      const audit = auditEntry(around, by.who, {
        ...{ action: `${kind}.pause`, kind, target: name, note: by.note, data: { until: timeText(until) } },
      });
      await store.amend({ pauses: [pause] }, () => ({ answer: null, pauses: [pause], audit: [audit] }));
      return told(pause);
    },
    async resume(by, kind, name) {
      const audit = auditEntry(around, by.who, { action: `${kind}.resume`, kind, target: name, note: by.note });
      const { answer } = await store.amend<Pause | null>({ pauses: [{ kind, name }] }, (view) => {
        const pauses = endedPauses(view, kind, name, clock.now());
        return { answer: pauses[0] ?? null, pauses, audit: pauses.length === 0 ? [] : [audit] };
      });
      return told(answer);
    },
  };
}

/** Everything about an act on one worker, to be written at once. */
export function workerAmendment(
  around: Surroundings,
  by: By,
  worker: WorkerRecord,
  what: (now: number) => WorkerAct,
): Amendment<WorkerRecord> {
  const { id } = worker;
  const now = around.clock.now();
  const { type, args, until, event, change, pauses = [] } = what(now);
  const command = newCommand(around, worker, by, { type, ...(args && { args }), ...(until && { until }) }, now);
  const changed: WorkerRecord = { ...worker, ...change?.(worker) };
  const orders: Orders = { ...(changed.orders ?? noOrders), latest: command.id };
  const answer = { ...changed, orders };
  const data = { by: by.who.user, ...(by.note !== null && { note: by.note }), ...args };
  return {
    ...{ answer, workers: [answer], commands: [command], pauses },
    workerEvents: event === undefined ? [] : [workerEvent(id, now, event, data)],
    audit: [
      auditEntry(around, by.who, {
        ...{
          action: `worker.${type}`,
          kind: "worker",
          target: id,
          note: by.note,
          data: { command: command.id, ...args },
        },
      }),
    ],
  };
}

export function drainAct({ who, note }: By, now: number, deadlineMs: number | null): WorkerAct {
  const deadline = deadlineMs === null ? null : now + deadlineMs;
  return {
    ...{ type: "drain", args: { deadline: timeText(deadline) }, until: deadline, event: "worker.draining" },
    change: ({ orders }) => ({
      draining: true,
      orders: { ...orders, drain: { by: who.user, note, at: now, deadline, isOver: false } },
    }),
  };
}

function resumeAct(pauses: readonly Pause[]): WorkerAct {
  return {
    ...{ type: "resume", event: "worker.resumed", pauses },
    change: ({ orders }) => ({ draining: false, orders: { ...orders, drain: null } }),
  };
}

/** The pause that counts, with its end. What has ended by its time is written so by the agenda. */
function endedPauses({ pauses }: AmendView, kind: Pause["kind"], name: string, now: number): Pause[] {
  const pause = counting(pauses.get(pauseKey({ kind, name })), now);
  return pause === null ? [] : [{ ...pause, endedAt: now }];
}

function newPause({ who, note }: By, kind: Pause["kind"], name: string, until: number | null, at: number): Pause {
  return { kind, name, by: who.user, note, at, until, endedAt: null };
}

export function presentWorker(id: string, worker: WorkerRecord | undefined): WorkerRecord {
  if (worker !== undefined && !isGivenUp(worker.session)) return worker;
  throw new Problem("worker-not-found", `Worker ${id} does not exist`);
}

function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
