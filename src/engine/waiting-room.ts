// Demands that wait for work: of claims, and of workers that are connected.

import type { Bus } from "../ports/bus.ts";
import type { LaneSet } from "./catalog.ts";
import { laneSeats, type Seat } from "./lane-seats.ts";

export interface Waiter {
  readonly worker: string;
  lanes: LaneSet;
  /** How many tasks its worker has in hand. */
  load: number;
  /** How many it would take now. */
  free(): number;
  /** Asks for so many. */
  ask(limit: number): void;
  /** Its worker is gone. */
  dismiss(): void;
  /** Nothing is handed out any more. */
  end(): void;
  /** Where it sits; for the room alone. */
  seat: Seat | null;
}

export interface WaitingRoom {
  enter(waiter: Waiter): void;
  /** False when it had left before. */
  leave(waiter: Waiter): boolean;
  /** What it wants, or has, has changed. */
  seat(waiter: Waiter): void;
  /** Its lanes have changed. */
  move(waiter: Waiter, lanes: LaneSet): void;
  /** Those who want something of the lane, in order. Whoever is asked meanwhile may be moved. */
  inLane(lane: number): Iterable<Waiter>;
  /** How many of them there are. */
  count(lane: number): number;
  of(worker: string): Iterable<Waiter>;
  everyone(): Iterable<Waiter>;
  size(): number;
}

/** `onSupply` is told which server says that a lane holds something. */
export function waitingRoom(bus: Bus, onSupply: (lane: number, server: string) => void): WaitingRoom {
  const all = new Set<Waiter>();
  const byWorker = new Map<string, Set<Waiter>>();
  const seats = laneSeats(bus, onSupply);

  return {
    enter(waiter) {
      all.add(waiter);
      byWorker.set(waiter.worker, (byWorker.get(waiter.worker) ?? new Set()).add(waiter));
      seats.join(waiter);
    },
    leave(waiter) {
      if (!all.delete(waiter)) return false;
      const others = byWorker.get(waiter.worker) as Set<Waiter>;
      others.delete(waiter);
      if (others.size === 0) byWorker.delete(waiter.worker);
      seats.quit(waiter);
      return true;
    },
    seat(waiter) {
      if (!all.has(waiter)) return;
      seats.stand(waiter);
      seats.sit(waiter);
    },
    move(waiter, lanes) {
      if (waiter.lanes === lanes) return;
      seats.quit(waiter);
      waiter.lanes = lanes;
      seats.join(waiter);
    },
    inLane: seats.inLane,
    count: seats.count,
    of: (worker) => byWorker.get(worker) ?? [],
    everyone: () => all,
    size: () => all.size,
  };
}
