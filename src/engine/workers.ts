// The fleet: who is registered, who said goodbye, who is gone. Losing a worker takes steps that may each be repeated:
// fence its session, move its tasks, and, where its profile says so, remove it.

import { Problem } from "../core/problem.ts";
import type { WorkerEvent, WorkerRecord } from "../ports/records.ts";
import type { Amendment, AmendView } from "../ports/store.ts";
import type { Beats } from "./beats.ts";
import type { Catalog } from "./catalog.ts";
import { orphansAfter } from "./orphans.ts";
import type { Surroundings } from "./surroundings.ts";
import { newSession, newWorker, type WorkerStart, type WorkerWords } from "./worker-record.ts";

export interface Workers {
  /** A known worker that was not removed is revived under its id; its registration replaces the former one whole. */
  register(start: Omit<WorkerStart, "id"> & { readonly id?: string }): Promise<WorkerRecord>;
  /** Changes what a worker says about itself, or what an operator says about it. */
  change(id: string, words: WorkerWords): Promise<WorkerRecord>;
  /** A kept worker that was given up is there again; what it held is not. */
  revive(id: string): Promise<WorkerRecord>;
  /** Fences the session if `still` agrees under the lock. False when it did not, or it was fenced before. */
  fence(id: string, type: string, still: (worker: WorkerRecord, now: number) => boolean): Promise<boolean>;
  /** The last step: links go, orphaned jobs go, a tombstone stays. */
  remove(id: string, type: string): Promise<void>;
}

export function workers(around: Surroundings, parts: { readonly catalog: Catalog; readonly beats: Beats }): Workers {
  const { store, clock, ids, bus, settings } = around;
  const { catalog, beats } = parts;

  async function amendWorker<T>(
    id: string,
    scope: { readonly jobs?: readonly string[] },
    decide: (worker: WorkerRecord | undefined, now: number, view: AmendView) => Amendment<T>,
  ): Promise<T> {
    const { answer } = await store.amend({ ...scope, workers: [id] }, (view) =>
      decide(view.workers.get(id), clock.now(), view),
    );
    await catalog.refresh();
    bus.publish("catalog");
    return answer;
  }

  async function register(start: Omit<WorkerStart, "id"> & { readonly id?: string }): Promise<WorkerRecord> {
    const id = start.id ?? ids.next();
    const worker = await amendWorker(id, {}, (known, now) => {
      const fresh = newWorker({ ...start, id }, settings.profiles, now);
      const worker = known === undefined ? fresh : { ...fresh, createdAt: known.createdAt };
      const type = known === undefined ? "worker.registered" : "worker.resumed";
      return { answer: worker, workers: [worker], workerEvents: [event(id, now, type)] };
    });
    beats.seen(worker);
    return worker;
  }

  function change(id: string, words: WorkerWords): Promise<WorkerRecord> {
    return amendWorker(id, {}, (known) => {
      const worker = { ...present(id, known), ...words };
      return { answer: worker, workers: [worker] };
    });
  }

  async function revive(id: string): Promise<WorkerRecord> {
    const worker = await amendWorker(id, {}, (known, now) => {
      const worker = { ...present(id, known), session: newSession(present(id, known).profile, settings.profiles, now) };
      return { answer: worker, workers: [worker], workerEvents: [event(id, now, "worker.resumed")] };
    });
    beats.seen(worker);
    return worker;
  }

  function fence(id: string, type: string, still: (worker: WorkerRecord, now: number) => boolean): Promise<boolean> {
    return amendWorker(id, {}, (worker, now) => {
      if (worker === undefined || worker.session.lostAt !== null || !still(worker, now)) return { answer: false };
      const fenced = { ...worker, session: { ...worker.session, lostAt: now } };
      return { answer: true, workers: [fenced], workerEvents: [event(id, now, type)] };
    });
  }

  async function remove(id: string, type: string): Promise<void> {
    const links = [...(catalog.worker(id)?.jobs.keys() ?? [])];
    await amendWorker(id, { jobs: links }, (worker, now, view) => {
      if (worker === undefined || worker.session.removedAt !== null) return { answer: null };
      const session = { ...worker.session, lostAt: worker.session.lostAt ?? now, removedAt: now };
      const removed = { ...worker, jobs: new Map(), session };
      const jobs = orphansAfter(view, [...worker.jobs.keys()]);
      return { answer: null, workers: [removed], jobs, workerEvents: [event(id, now, type)] };
    });
    beats.forget(id);
  }

  return { register, change, revive, fence, remove };

  function event(worker: string, at: number, type: string): WorkerEvent {
    return { worker, at, type, data: null };
  }

  function present(id: string, worker: WorkerRecord | undefined): WorkerRecord {
    if (worker !== undefined && worker.session.removedAt === null) return worker;
    throw new Problem("worker-not-found", `Worker ${id} does not exist`);
  }
}
