// Who is sent to ask for what lanes are believed to hold. Where there is not enough for everyone, each gets a share, and
// whoever has least in hand comes first.

import type { LaneBeliefs } from "./lane-beliefs.ts";
import type { Waiter, WaitingRoom } from "./waiting-room.ts";

export interface Sharing {
  /** Sends as many waiting demands as the lanes are believed to satisfy. */
  pump(): void;
  /** Sends this one, if anything is left: all who waited before have been sent. */
  offer(waiter: Waiter): void;
}

export function sharing(room: WaitingRoom, beliefs: LaneBeliefs): Sharing {
  const left = (lane: number): number => beliefs.of(lane) - beliefs.underWay(lane);

  function share(lane: number): void {
    let some = left(lane);
    if (some <= 0) return;
    const each = Math.max(1, Math.ceil(some / Math.max(1, room.count(lane))));
    for (const waiter of room.inLane(lane)) {
      if (some <= 0) return;
      const limit = Math.min(waiter.free(), each);
      if (limit <= 0) continue;
      some -= limit;
      waiter.ask(limit);
    }
  }

  return {
    pump() {
      if (room.size() === 0) return;
      for (const lane of beliefs.lanes()) share(lane);
    },
    offer(waiter) {
      const free = waiter.free();
      if (free <= 0) return;
      const some = beliefs.believed(waiter.lanes).lanes.reduce((sum, lane) => sum + Math.max(0, left(lane)), 0);
      if (some > 0) waiter.ask(Math.min(free, some));
    },
  };
}
