// Signs of life. Beats are noted at once and written together within a second, and only those that are worth a write;
// a beat that is lost in a crash costs nothing, because the next one follows.

import { isBeatUrgent, isGivenUp, workerState } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { WorkerRecord } from "../ports/records.ts";
import { anyoneAway } from "./absences.ts";
import type { BeatTrail } from "./beat-trail.ts";
import { beatWriting } from "./beat-writing.ts";
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
  /** The beats that this server heard; null where it heard none. */
  trailOf(id: string): BeatTrail | null;
  /** How many workers this server has heard of within their windows. */
  listening(): number;
  /** How workers are, as JSON text: asked for now and then when a beat is written anyway. Null: nothing to say. */
  describeBeats(statusOf: (worker: string) => string | null): void;
  /** Writes what has gathered. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export function beats(around: Surroundings, catalog: Catalog): Beats {
  const { store, bus, clock } = around;
  const known = lives();
  const writing = beatWriting(around, known, catalog);
  catalog.onChange(({ workers }) => workers.forEach(changed));

  /** Another server may have given it up or removed it, or registered it anew with another window. */
  function changed({ id, session }: WorkerRecord): void {
    const life = known.get(id);
    if (isGivenUp(session)) known.end(id);
    else if (life !== undefined) [life.lostMs, life.unreachableMs] = [session.lostMs, session.unreachableMs];
  }

  async function beat(id: string): Promise<{ readonly seenAt: number }> {
    const life = await living(id);
    const seenAt = note(life);
    // Whoever is told that it was heard must not be given up for a silence before that. What is being written already may be
    // without this beat, so it is tried twice; where the database is away, nobody gives anybody up.
    for (let tries = 0; tries < 2 && isBeatUrgent(life.writtenAt, life, seenAt); tries += 1) await writing.atOnce();
    if (life.isOver && known.get(id) === undefined) throw unknown(id);
    return { seenAt };
  }

  function note(life: Life): number {
    known.heard(life, clock.now());
    if (bus.wanted(anyoneAway) && bus.wanted(life.away)) bus.publish(life.away);
    if (isBeatUrgent(life.writtenAt, life, life.seenAt)) void writing.atOnce();
    writing.soon(life.seenAt);
    return life.seenAt;
  }

  async function living(id: string): Promise<Life> {
    const worker = catalog.worker(id) ?? (await store.read("workers", { ids: [id] }))[0];
    if (worker === undefined || isGivenUp(worker.session)) {
      known.end(id);
      throw unknown(id);
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

  return {
    ...{ beat, isReachable, forget: known.end },
    ...{ flush: () => writing.flush(), describeBeats: writing.describe },
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
    heardAt: (id) => known.get(id)?.seenAt ?? null,
    trailOf: (id) => known.get(id)?.trail ?? null,
    listening: () => known.living(clock.now()),
    stop: () => writing.flush(true),
  };
}

function unknown(id: string): Problem {
  return new Problem("worker-not-found", `Worker ${id} does not exist or was given up`);
}
