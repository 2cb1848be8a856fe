// What this server has for one queue of the broker. Whatever was just written is sent at once, in batches, and nobody waits
// for it; what finds no room waits a moment, and is then left to whoever leads. It is safe to forget anything here: what
// was not confirmed is found in the database.

import { atOnceMax, leftoverMs } from "../../core/messages.ts";
import type { Courier } from "../../ports/courier.ts";
import { flights } from "../flights.ts";
import type { Surroundings } from "../surroundings.ts";
import { countWhole, fitting, type Parcel, type Passing, type Told, toldOf, untaken } from "./parcels.ts";
import { rest } from "./rest.ts";
import { room } from "./room.ts";

export interface Line<P extends Parcel> {
  /** These were written just now, on this server. */
  add(parcels: readonly P[]): void;
  /**
   * What was left over, as far as there is room; by others than whoever leads, in their share of that for what is told at
   * once: a leader that is well keeps a queue fuller than that. Answers how many are told of: all, or there is no reason to
   * go on.
   */
  send(parcels: readonly P[], by?: "leader" | "beside"): Promise<number>;
  /** Resolves when all that may be sent now is. */
  quiet(): Promise<void>;
  stop(): void;
}

export interface LineParts<P extends Parcel> {
  readonly queue: string;
  readonly courier: Courier;
  /** Where it is asked how full the queue is. */
  readonly depths: Pick<Courier, "depth">;
  /** So many may wait for room here, or for a broker that is away; the rest is left over at once. */
  readonly waitingMax: number;
  /** How many tell the queue at once of what they write. */
  servers(): number;
  /** The broker has these: the database is to know. */
  confirmed(told: readonly Told<P>[]): Promise<void>;
  /** The broker is there, and does not take these. */
  passedOver?(parcels: readonly P[], why: Passing): Promise<void>;
}

interface Delivery<P extends Parcel> {
  readonly told: readonly Told<P>[];
  /** The broker was there, and took nothing of these. */
  readonly passed: ReadonlyMap<Passing, readonly P[]>;
}

/** Batches under way. */
const width = 4;
/** A queue that is full is asked again so much later: consumers that are quick must not run out of messages meanwhile. */
const pauseMs = 100;
/** What was refused is tried again so much later at first. */
const refusedMs = 1_000;

type Around = Pick<Surroundings, "clock" | "log" | "settings">;

export function line<P extends Parcel>(around: Around, parts: LineParts<P>): Line<P> {
  const { clock, log } = around;
  const { queue, courier, depths, waitingMax, servers, confirmed, passedOver } = parts;
  const { unconsumedMax, publishCapMs } = around.settings;
  const space = room(clock, depths, queue);
  const { isOver, refused, accepted } = rest(clock, refusedMs, publishCapMs);
  let waiting: P[] = [];
  let silence: (() => void) | null = null;
  let stopped = false;
  const { schedule, quiet } = flights(width, maySend, sendNext);
  courier.onUp(() => {
    accepted();
    schedule();
  });

  function maySend(): boolean {
    return silence === null && waiting.length > 0 && courier.isUp();
  }

  async function sendNext(): Promise<void> {
    await space.refresh();
    forgetOld();
    if (waiting.length === 0) return;
    const batch = fitting(waiting, share(), space.isEmpty());
    if (batch.length === 0) return pause();
    waiting = waiting.slice(batch.length);
    await deliver(batch);
  }

  const share = (): number => space.free(atOnceMax(unconsumedMax), servers());

  function forgetOld(): void {
    const before = clock.now() - leftoverMs;
    if (waiting.some(({ at }) => at <= before)) waiting = waiting.filter(({ at }) => at > before);
  }

  function pause(): void {
    silence ??= clock.alarm(clock.now() + pauseMs, () => {
      silence = null;
      space.outdate();
      schedule();
    });
  }

  /** Where the database could not be told, it is as if nothing had been. Throws nothing. */
  async function deliver(batch: readonly P[]): Promise<Delivery<P>> {
    const bodies = batch.flatMap((parcel) => parcel.bodies);
    space.begin(bodies.length);
    try {
      const answers = await courier.publish(queue, bodies).finally(() => space.end(bodies.length));
      // Asked before anything else is waited for: a broker that was away has passed over nothing, though it be back by then.
      const wasUp = courier.isUp();
      const told = toldOf(batch, answers);
      if (told.length > 0) await confirmed(told);
      return { told, passed: wasUp ? untaken(batch, told, (body) => courier.isSetAside(queue, body)) : new Map() };
    } catch (error) {
      log.warn("a queue was told of something, and the database could not be", { queue, error });
      return { told: [], passed: new Map() };
    }
  }

  return {
    quiet,
    add(parcels) {
      if (stopped) return;
      if (waiting.length + parcels.length > waitingMax) forgetOld();
      const free = waitingMax - waiting.length;
      for (const parcel of free < parcels.length ? parcels.slice(0, Math.max(0, free)) : parcels) waiting.push(parcel);
      schedule();
    },
    async send(parcels, by = "leader") {
      let sent = 0;
      while (sent < parcels.length && !stopped && courier.isUp() && isOver()) {
        await space.refresh();
        const free = by === "leader" ? space.free(unconsumedMax) : share();
        const batch = fitting(parcels.slice(sent), free, space.isEmpty());
        if (batch.length === 0) break;
        const { told, passed } = await deliver(batch);
        const whole = countWhole(told);
        sent += whole;
        // Of each parcel there may be one message that the broker does not take: it takes the others.
        if (told.length > 0) accepted();
        else if (!passed.has("unfit")) refused();
        for (const [why, some] of passed) await passedOver?.(some, why);
        if (whole < batch.length) break;
      }
      return sent;
    },
    stop() {
      stopped = true;
      silence?.();
      silence = null;
      waiting = [];
    },
  };
}
