// Signs of life. Beats are noted at once and written together within a second, and only those that are worth a write;
// a beat that is lost in a crash costs nothing, because the next one follows.

import { beatIsWorthWriting, isGivenUp } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { WorkerRecord } from "../ports/records.ts";
import type { Beat } from "../ports/store.ts";
import { awayTopic } from "./absences.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Beats {
  /** Throws worker-not-found when the session is fenced or gone: the worker has to register again. */
  beat(id: string): Promise<{ readonly seenAt: number }>;
  /** The same at once, where this server knows the worker; false where it does not, or the worker was given up. */
  heard(id: string): boolean;
  /** The worker's session as this server knows it is this fresh. */
  seen(worker: WorkerRecord): void;
  forget(id: string): void;
  /** When this server last heard of the worker; the record may be a little behind. Null where it never did. */
  heardAt(id: string): number | null;
  /** Writes what has gathered. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface Heard {
  seenAt: number;
  writtenAt: number;
  lostMs: number;
}

export function beats({ store, bus, clock, log, telemetry, settings }: Surroundings, catalog: Catalog): Beats {
  // Where a window is very short, a beat must not come too late to the record.
  const flushMs = Math.min(1_000, ...Object.values(settings.profiles).map(({ lostMs }) => lostMs / 4));
  const heard = new Map<string, Heard>();
  const unwritten = new Set<string>();
  let silence: (() => void) | null = null;
  catalog.onChange(({ workers }) => workers.forEach(changed));

  /** Another server may have removed it, or registered it anew with another window. */
  function changed({ id, session }: WorkerRecord): void {
    const known = heard.get(id);
    if (session.removedAt !== null) forget(id);
    else if (known !== undefined) known.lostMs = session.lostMs;
  }

  function forget(id: string): void {
    heard.delete(id);
    unwritten.delete(id);
  }

  function seen({ id, session }: WorkerRecord): void {
    heard.set(id, { seenAt: session.seenAt, writtenAt: session.seenAt, lostMs: session.lostMs });
  }

  async function beat(id: string): Promise<{ readonly seenAt: number }> {
    return { seenAt: note(id, await sessionOf(id)) };
  }

  function note(id: string, known: Heard): number {
    known.seenAt = clock.now();
    unwritten.add(id);
    if (bus.wanted(awayTopic(id))) bus.publish(awayTopic(id));
    silence ??= clock.alarm(known.seenAt + flushMs, () => void flush());
    return known.seenAt;
  }

  function heardNow(id: string): boolean {
    const known = heard.get(id);
    const session = catalog.worker(id)?.session;
    if (known === undefined || session === undefined || isGivenUp(session)) return false;
    note(id, known);
    return true;
  }

  async function sessionOf(id: string): Promise<Heard> {
    const worker = catalog.worker(id) ?? (await store.read("workers", { ids: [id] }))[0];
    if (worker === undefined || worker.session.removedAt !== null || worker.session.lostAt !== null) {
      forget(id);
      throw new Problem("worker-not-found", `Worker ${id} does not exist or was given up`);
    }
    if (!heard.has(id)) seen(worker);
    return heard.get(id) as Heard;
  }

  /** Those whose last written beat is old enough; the others wait for a later flush, so a last beat is never lost. */
  function worthWriting(now: number): Beat[] {
    return [...unwritten].flatMap((worker) => {
      const known = heard.get(worker);
      if (known === undefined) unwritten.delete(worker);
      const worth = known !== undefined && beatIsWorthWriting({ seenAt: known.writtenAt, lostMs: known.lostMs }, now);
      return worth ? [{ worker, at: known.seenAt }] : [];
    });
  }

  async function flush(everything = false): Promise<void> {
    silence?.();
    silence = null;
    const now = clock.now();
    const due = everything ? all(unwritten, heard) : worthWriting(now);
    try {
      if (due.length > 0) await write(due, now);
    } catch (error) {
      // The workers did beat; only the record is missing. It is written with the next.
      log.warn("beats could not be written", { workers: due.length, error });
    }
    if (unwritten.size > 0 && !everything) silence ??= clock.alarm(clock.now() + flushMs, () => void flush());
  }

  async function write(due: readonly Beat[], now: number): Promise<void> {
    const gone = await store.beat(due);
    telemetry.committed("beat", due.length, clock.now() - now);
    for (const { worker, at } of due) {
      const known = heard.get(worker);
      if (known !== undefined) known.writtenAt = at;
      if (known === undefined || known.seenAt === at) unwritten.delete(worker);
    }
    for (const id of gone) forget(id);
    if (gone.length > 0) await catalog.refresh();
  }

  return {
    beat,
    heard: heardNow,
    seen,
    forget,
    heardAt: (id) => heard.get(id)?.seenAt ?? null,
    flush,
    stop: () => flush(true),
  };
}

function all(unwritten: ReadonlySet<string>, heard: ReadonlyMap<string, Heard>): Beat[] {
  return [...unwritten].flatMap((worker) => {
    const known = heard.get(worker);
    return known === undefined ? [] : [{ worker, at: known.seenAt }];
  });
}
