// A worker as it is first written, by the profile of the door it came in by.

import type { Json } from "../core/checksum.ts";
import { type ProfileName, type Profiles, profileOf, type Session } from "../core/liveness.ts";
import { noOrders } from "../core/orders.ts";
import { Problem } from "../core/problem.ts";
import type { WorkerEventType } from "../core/worker-event.ts";
import type { WorkerEvent, WorkerRecord } from "../ports/records.ts";
import type { AmendView } from "../ports/store.ts";

export type WorkerWords = Partial<
  Pick<WorkerRecord, "name" | "hostname" | "os" | "about" | "queues" | "labels" | "jobs" | "paused" | "draining">
>;

export interface WorkerStart extends WorkerWords {
  readonly id: string;
  readonly profile: ProfileName;
  readonly owner: string | null;
}

export function newWorker(start: WorkerStart, profiles: Profiles, now: number): WorkerRecord {
  return {
    name: null,
    hostname: null,
    os: null,
    about: null,
    queues: null,
    labels: {},
    jobs: new Map(),
    paused: false,
    draining: false,
    orders: noOrders,
    ...start,
    createdAt: now,
    session: newSession(start.profile, profiles, now),
    status: null,
  };
}

export function newSession(profile: ProfileName, profiles: Profiles, now: number): Session {
  const { unreachableMs, lostMs } = profileOf(profiles, profile);
  return { seenAt: now, unreachableMs, lostMs, lostAt: null, removedAt: null, told: "ONLINE" };
}

export interface Registrant {
  readonly id: string;
  /** Nobody named it: it is made along with what it registers. */
  readonly isNew: boolean;
  readonly owner: string | null;
}

/** The worker that registers something: its owner's, or a new one of the `rest` profile. */
export function registrant(
  view: AmendView,
  { id, isNew, owner }: Registrant,
  profiles: Profiles,
  now: number,
): WorkerRecord {
  const known = view.workers.get(id);
  const usable = known !== undefined && known.session.removedAt === null && known.owner === owner;
  if (!isNew && !usable) throw new Problem("worker-not-found", `Worker ${id} does not exist`);
  return known ?? newWorker({ id, profile: "rest", owner }, profiles, now);
}

/** Nobody but its owner registers a worker. */
export function registeredEvent({ id, owner }: Pick<WorkerRecord, "id" | "owner">, now: number): WorkerEvent {
  return workerEvent(id, now, "worker.registered", { by: owner });
}

/** A line of the worker's history. */
export function workerEvent(worker: string, at: number, type: WorkerEventType, data?: Json): WorkerEvent {
  return { worker, at, type, data: data === undefined ? null : JSON.stringify(data) };
}
