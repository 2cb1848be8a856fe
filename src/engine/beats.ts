// Signs of life. Beats are noted at once and written together within a second, and only those that are worth a write;
// a beat that is lost in a crash costs nothing, because the next one follows.

import { isGivenUp, shortestWindowMs, workerState } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { WorkerRecord } from "../ports/records.ts";
import type { Beat } from "../ports/store.ts";
import { anyoneAway } from "./absences.ts";
import type { Catalog } from "./catalog.ts";
import { type Life, lives } from "./lives.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Beats {
  /** Throws worker-not-found when the session is fenced or gone: the worker has to register again. */
  beat(id: string): Promise<{ readonly seenAt: number }>;
  /** For whoever hears of the worker often; null where this server does not know it, or the worker was given up. */
  lifeOf(id: string): Life | null;
  /** A sign of life, at once; false where it does not count any more, and `beat` or `lifeOf` may tell why. */
  heard(life: Life): boolean;
  /** The worker's session as this server knows it is this fresh. */
  seen(worker: WorkerRecord): void;
  forget(id: string): void;
  /** When this server last heard of the worker; the record may be a little behind. Null where it never did. */
  heardAt(id: string): number | null;
  /**
   * Whether the worker may be given something. Where this server has heard nothing for so long, others may have: their
   * word is in the record.
   */
  isReachable(worker: WorkerRecord): boolean | Promise<boolean>;
  /** How many workers this server has heard of within their windows. */
  listening(): number;
  /** How workers are, as JSON text: asked for now and then when a beat is written anyway. Null: nothing to say. */
  describeBeats(statusOf: (worker: string) => string | null): void;
  /** Writes what has gathered. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** How a worker is changes all the time; whoever looks at it from another server need not know by the second. */
const describedEveryMs = 10_000;

export function beats({ store, bus, clock, log, telemetry, settings }: Surroundings, catalog: Catalog): Beats {
  // Where a window is very short, a beat must not come too late to the record.
  const flushMs = Math.min(1_000, ...Object.values(settings.profiles).map((profile) => shortestWindowMs(profile) / 4));
  const known = lives();
  let silence: (() => void) | null = null;
  let statusOf: (worker: string) => string | null = () => null;
  catalog.onChange(({ workers }) => workers.forEach(changed));

  /** Another server may have given it up or removed it, or registered it anew with another window. */
  function changed({ id, session }: WorkerRecord): void {
    const life = known.get(id);
    if (isGivenUp(session)) known.end(id);
    else if (life !== undefined) [life.lostMs, life.unreachableMs] = [session.lostMs, session.unreachableMs];
  }

  async function beat(id: string): Promise<{ readonly seenAt: number }> {
    return { seenAt: note(await living(id)) };
  }

  function note(life: Life): number {
    known.heard(life, clock.now());
    if (bus.wanted(anyoneAway) && bus.wanted(life.away)) bus.publish(life.away);
    silence ??= clock.alarm(life.seenAt + flushMs, () => void flush());
    return life.seenAt;
  }

  async function living(id: string): Promise<Life> {
    const worker = catalog.worker(id) ?? (await store.read("workers", { ids: [id] }))[0];
    if (worker === undefined || isGivenUp(worker.session)) {
      known.end(id);
      throw new Problem("worker-not-found", `Worker ${id} does not exist or was given up`);
    }
    return known.get(id) ?? known.begin(worker);
  }

  function isReachable({ id, session }: WorkerRecord): boolean | Promise<boolean> {
    if (session.unreachableMs === null) return true;
    const seenAt = Math.max(session.seenAt, known.get(id)?.seenAt ?? 0);
    return clock.now() - seenAt < session.unreachableMs || heardElsewhere(id);
  }

  async function heardElsewhere(id: string): Promise<boolean> {
    const [worker] = await store.read("workers", { ids: [id] });
    if (worker === undefined || isGivenUp(worker.session)) return false;
    const life = known.get(id) ?? known.begin(worker);
    life.writtenAt = Math.max(life.writtenAt, worker.session.seenAt);
    life.seenAt = Math.max(life.seenAt, life.writtenAt);
    return workerState({ ...worker.session, seenAt: life.seenAt }, clock.now()) === "ONLINE";
  }

  async function flush(everything = false): Promise<void> {
    silence?.();
    silence = null;
    const now = clock.now();
    const due = everything ? known.unwritten() : known.worthWriting(now);
    try {
      if (due.length > 0) await write(due, now);
    } catch (error) {
      // The workers did beat; only the record is missing. It is written with the next.
      log.warn("beats could not be written", { workers: due.length, error });
    }
    if (known.isUnwritten() && !everything) silence ??= clock.alarm(clock.now() + flushMs, () => void flush());
  }

  async function write(due: readonly Beat[], now: number): Promise<void> {
    const gone = await store.beat(due.map(described));
    telemetry.committed("beat", due.length, clock.now() - now);
    known.written(due);
    for (const id of gone) known.end(id);
    if (gone.length > 0) await catalog.refresh();
  }

  function described(beat: Beat): Beat {
    const life = known.get(beat.worker);
    if (life === undefined || beat.at - life.describedAt < describedEveryMs) return beat;
    const status = statusOf(beat.worker);
    if (status === null) return beat;
    life.describedAt = beat.at;
    return { ...beat, status };
  }

  return {
    ...{ beat, isReachable, flush, forget: known.end },
    lifeOf(id) {
      const session = catalog.worker(id)?.session;
      return session === undefined || isGivenUp(session) ? null : (known.get(id) ?? null);
    },
    heard(life) {
      if (life.isOver) return false;
      note(life);
      return true;
    },
    seen: (worker) => void known.begin(worker),
    describeBeats(read) {
      statusOf = read;
    },
    heardAt: (id) => known.get(id)?.seenAt ?? null,
    listening: () => known.living(clock.now()),
    stop: () => flush(true),
  };
}
