// Demands that wait for work, by lane, the longest waiting first. A lane someone waits for is a topic this server wants
// to hear of; a lane nobody waits for is not.

import type { Bus } from "../ports/bus.ts";
import type { ClaimedTask } from "../ports/records.ts";
import type { Taker } from "../ports/store.ts";
import type { LaneSet } from "./catalog.ts";

export interface Waiter {
  readonly taker: Taker;
  readonly end: (tasks: readonly ClaimedTask[]) => void;
  readonly fail: (error: unknown) => void;
  lanes: LaneSet;
  /** Its demand is under way: an answer is sure to come and must not be lost. */
  asking: boolean;
  /** Its time has passed; it ends with the answer that is under way. */
  over: boolean;
}

export interface WaitingRoom {
  enter(waiter: Waiter): void;
  /** False when it had left before. */
  leave(waiter: Waiter): boolean;
  inLane(lane: number): Iterable<Waiter>;
  everyone(): Iterable<Waiter>;
  /** The waiter's lanes have changed. */
  move(waiter: Waiter, lanes: LaneSet): void;
  size(): number;
}

export function waitingRoom(bus: Bus, onSupply: (lane: number) => void): WaitingRoom {
  const all = new Set<Waiter>();
  const byLane = new Map<number, Set<Waiter>>();
  const deafen = new Map<number, () => void>();

  function enlist(waiter: Waiter): void {
    for (const lane of waiter.lanes.lanes) {
      const there = byLane.get(lane);
      if (there !== undefined) there.add(waiter);
      else {
        byLane.set(lane, new Set([waiter]));
        deafen.set(
          lane,
          bus.subscribe(`supply:${lane}`, () => onSupply(lane)),
        );
      }
    }
  }

  function unlist(waiter: Waiter): void {
    for (const lane of waiter.lanes.lanes) {
      const there = byLane.get(lane);
      there?.delete(waiter);
      if (there?.size !== 0) continue;
      byLane.delete(lane);
      deafen.get(lane)?.();
      deafen.delete(lane);
    }
  }

  return {
    enter(waiter) {
      all.add(waiter);
      enlist(waiter);
    },
    leave(waiter) {
      if (!all.delete(waiter)) return false;
      unlist(waiter);
      return true;
    },
    inLane: (lane) => byLane.get(lane) ?? [],
    everyone: () => all,
    move(waiter, lanes) {
      unlist(waiter);
      waiter.lanes = lanes;
      enlist(waiter);
    },
    size: () => all.size,
  };
}
