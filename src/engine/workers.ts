// The fleet: who is registered, who said goodbye, who is gone. Losing a worker takes steps that may each be repeated:
// fence its session, move its tasks, and, where its profile says so, remove it.

import type { Json } from "../core/checksum.ts";
import { isGivenUp, lostDueAt } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { WorkerEventType } from "../core/worker-event.ts";
import type { AuditEntry, WorkerRecord } from "../ports/records.ts";
import type { Amendment, AmendView } from "../ports/store.ts";
import { announceProviders } from "./announce.ts";
import { announceJobs } from "./announcements.ts";
import { arrivals } from "./arrivals.ts";
import type { Beats } from "./beats.ts";
import type { Catalog } from "./catalog.ts";
import { type Departure, departures, type Gone } from "./departures.ts";
import type { HeldAttempt, LettingGo } from "./letting-go.ts";
import { adopted, orphansAfter } from "./orphans.ts";
import { withServed } from "./served-jobs.ts";
import type { Surroundings } from "./surroundings.ts";
import {
  newSession,
  newWorker,
  registeredEvent,
  type WorkerStart,
  type WorkerWords,
  workerEvent,
} from "./worker-record.ts";

export interface Registration extends Omit<WorkerStart, "id"> {
  readonly id?: string;
  /** What the worker still has of a session that lives; the rest goes back. Absent: it keeps what it holds. */
  readonly holds?: readonly HeldAttempt[];
  /** It only says what it can do: that brings no job back. */
  readonly announces?: boolean;
}

export interface Workers {
  /**
   * A known worker is there again under its id; its registration replaces the former one whole. What it held when it
   * was given up is lost. Throws forbidden when the id belongs to another owner; null is the server itself.
   */
  register(registration: Registration): Promise<WorkerRecord>;
  /** Changes what a worker says about itself, or what an operator says about it. */
  change(id: string, words: WorkerWords): Promise<WorkerRecord>;
  /** A kept worker that was given up is there again; what it held is not. */
  revive(id: string): Promise<WorkerRecord>;
  /**
   * Fences the session if `still` agrees under the lock; `data` is for its history. Answers since when it is fenced, by this call or an earlier
   * one; null when it lives on or is not known.
   */
  fence(
    id: string,
    type: WorkerEventType,
    still: (worker: WorkerRecord, now: number) => boolean,
    data?: Json,
  ): Promise<number | null>;
  /** The last step: links, providers and orphaned jobs go, a tombstone stays. Not if it lives, or was fenced later than that. */
  remove(id: string, type: WorkerEventType, fencedBy: number, audit?: AuditEntry): Promise<boolean>;
}

export interface WorkerParts {
  readonly catalog: Catalog;
  readonly beats: Beats;
  readonly lettingGo: LettingGo;
}

export function workers(around: Surroundings, { catalog, beats, lettingGo }: WorkerParts): Workers {
  const { store, ids, bus, settings } = around;
  const comeBack = arrivals(around, { catalog, beats, lettingGo });
  const depart = departures(around, { catalog });

  async function register({ holds, announces = false, ...start }: Registration): Promise<WorkerRecord> {
    const id = start.id ?? ids.next();
    const links = announces ? [] : [...(start.jobs?.keys() ?? [])];
    return comeBack(id, links, (known, now, view) => {
      if (known !== undefined && known.owner !== start.owner) {
        throw new Problem("forbidden", `Worker ${id} belongs to another owner`);
      }
      const fresh = newWorker({ ...start, id }, settings.profiles, now);
      const lives = known !== undefined && !isGivenUp(known.session);
      return {
        worker: known === undefined ? fresh : ordered({ ...fresh, createdAt: known.createdAt, orders: known.orders }),
        event: isBack(known) ? workerEvent(id, now, "worker.online") : registeredEvent(fresh, now),
        leaving:
          lives && holds !== undefined ? lettingGo.unlisted(view, id, holds) : lettingGo.lost(view, id, "session"),
      };
    });
  }

  async function revive(id: string): Promise<WorkerRecord> {
    return comeBack(id, [], (known, now, view) => {
      const { profile } = present(id, known);
      return {
        worker: { ...present(id, known), session: newSession(profile, settings.profiles, now) },
        event: workerEvent(id, now, "worker.online"),
        leaving: lettingGo.lost(view, id, "session"),
      };
    });
  }

  async function change(id: string, words: WorkerWords): Promise<WorkerRecord> {
    const { answer } = await store.amend({ jobs: [...(words.jobs?.keys() ?? [])], workers: [id] }, (view) => {
      const worker = ordered({ ...present(id, view.workers.get(id)), ...words });
      return { answer: worker, workers: [worker], jobs: adopted(view) };
    });
    await catalog.refresh();
    bus.publish("catalog");
    return answer;
  }

  function fence(
    id: string,
    type: WorkerEventType,
    still: (worker: WorkerRecord, now: number) => boolean,
    data?: Json,
  ): Promise<number | null> {
    const decide = (worker: WorkerRecord | undefined, now: number): Gone<number | null> => {
      if (worker === undefined || worker.session.lostAt !== null) return { answer: worker?.session.lostAt ?? null };
      if (!still(worker, now)) return { answer: null };
      // A beat that was heard and is not written yet would have nobody to write it any more.
      const session = { ...worker.session, seenAt: Math.max(worker.session.seenAt, beats.heardAt(id) ?? 0) };
      // One that fell silent was offline before anybody noticed.
      const lostAt = Math.min(now, lostDueAt(session));
      const fenced = { ...worker, session: { ...session, lostAt } };
      return { answer: lostAt, workers: [fenced], workerEvents: [workerEvent(id, now, type, data)] };
    };
    return depart({ id, links: null, decide });
  }

  async function remove(id: string, type: WorkerEventType, fencedBy: number, audit?: AuditEntry): Promise<boolean> {
    const links = [...(catalog.worker(id)?.jobs.keys() ?? [])];
    const decide: Departure<Left | null>["decide"] = (worker, now, view) =>
      worker === undefined || !mayGo(worker, fencedBy)
        ? { answer: null }
        : { ...removal(worker, view, now, type), ...written(audit) };
    const left = await depart({ id, links, decide });
    if (left === null) return false;
    beats.forget(id);
    announceJobs(bus, left.jobs);
    announceProviders(bus, left.providerRooms);
    return true;
  }

  return { register, change, revive, fence, remove };
}

/** What a removed worker leaves behind: the jobs it served, and the rooms that lost a provider. */
interface Left {
  readonly jobs: readonly string[];
  readonly providerRooms: readonly string[];
}

function removal(worker: WorkerRecord, view: AmendView, now: number, type: WorkerEventType): Gone<Left> {
  const providers = [...view.providers.values()];
  const jobs = [...worker.jobs.keys()];
  return {
    answer: { jobs, providerRooms: providers.map(({ room }) => room) },
    workers: [
      {
        ...{ ...worker, jobs: new Map(), about: withServed(worker.about, jobs) },
        session: { ...worker.session, removedAt: now },
      },
    ],
    jobs: orphansAfter(view, jobs),
    providersGone: providers.map(({ id }) => id),
    workerEvents: [workerEvent(worker.id, now, type)],
  };
}

/** What an operator has said counts, whatever the worker says of itself. */
function ordered(worker: WorkerRecord): WorkerRecord {
  return worker.orders.drain === null ? worker : { ...worker, draining: true };
}

function written(audit: AuditEntry | undefined): Pick<Amendment<unknown>, "audit"> {
  return audit === undefined ? {} : { audit: [audit] };
}

/** Its history says that it was away. */
function isBack(known: WorkerRecord | undefined): boolean {
  if (known === undefined || known.session.removedAt !== null) return false;
  return known.session.lostAt !== null || known.session.told === "UNREACHABLE";
}

function mayGo({ session }: WorkerRecord, fencedBy: number): boolean {
  return session.removedAt === null && session.lostAt !== null && session.lostAt <= fencedBy;
}

function present(id: string, worker: WorkerRecord | undefined): WorkerRecord {
  if (worker !== undefined && worker.session.removedAt === null) return worker;
  throw new Problem("worker-not-found", `Worker ${id} does not exist`);
}
