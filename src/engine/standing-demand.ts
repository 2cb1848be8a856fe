// What a connected worker wants, for as long as it is connected. What is on its way to it counts as given, so it never
// gets more than it asked for, however answers and new wishes cross.

import type { ClaimedTask } from "../ports/records.ts";
import type { LaneSet } from "./catalog.ts";
import type { Waiter, WaitingRoom } from "./waiting-room.ts";

export interface StandingDemand {
  /** How many tasks it wants now, and how many it has. Replaces what it wanted before. */
  want(count: number, load: number): void;
  /** Whether something may be on its way to it. */
  isAsking(): boolean;
  /** Nothing is given any more; what is on its way goes back. */
  close(): void;
}

/** Who stands there, and whom to tell. */
export interface Stander {
  readonly worker: string;
  /** From then on this many fewer are wanted. */
  given(tasks: readonly ClaimedTask[]): void;
  /** They came when nobody stood there any more. */
  missed(tasks: readonly ClaimedTask[]): void;
  /** The worker does not exist, or was given up. */
  gone(): void;
}

export interface StandingParts {
  readonly room: WaitingRoom;
  readonly lanes: LaneSet;
  readonly limitMax: number;
  /** Asks the database; never rejects. Null: the worker is gone. */
  ask(lanes: LaneSet, limit: number): Promise<readonly ClaimedTask[] | null>;
  /** Someone wants something of these lanes. */
  offer(waiter: Waiter): void;
}

export function standingDemand(stander: Stander, { room, lanes, limitMax, ask, offer }: StandingParts): StandingDemand {
  let wanted = 0;
  let underWay = 0;
  let closed = false;

  const waiter: Waiter = {
    ...{ worker: stander.worker, lanes, load: 0, seat: null },
    free: () => (closed ? 0 : Math.min(limitMax, wanted - underWay)),
    ask: (limit) => void take(limit),
    dismiss() {
      close();
      stander.gone();
    },
    end: () => close(),
  };

  async function take(limit: number): Promise<void> {
    underWay += limit;
    room.seat(waiter);
    const tasks = await ask(waiter.lanes, limit);
    underWay -= limit;
    if (tasks === null) {
      if (!closed) waiter.dismiss();
      return;
    }
    if (closed) {
      if (tasks.length > 0) stander.missed(tasks);
      return;
    }
    wanted = Math.max(0, wanted - tasks.length);
    if (tasks.length > 0) stander.given(tasks);
    room.seat(waiter);
    // A short answer ends the belief that there is more, so this does not go round in circles.
    offer(waiter);
  }

  function close(): void {
    closed = true;
    room.leave(waiter);
  }

  room.enter(waiter);
  return {
    want(count, load) {
      if (closed) return;
      wanted = count;
      waiter.load = load;
      room.seat(waiter);
      offer(waiter);
    },
    isAsking: () => underWay > 0,
    close,
  };
}
