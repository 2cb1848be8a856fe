// News for a crowd leave at once when the room was quiet, then together, one write for each reader: a write costs more
// than what is in it. The larger the crowd, the longer the moment between two of them.

import type { Clock } from "../../ports/clock.ts";
import type { News } from "./pile.ts";

export interface Pace {
  add(room: string, news: News): void;
}

export interface PaceParts {
  readonly clock: Clock;
  /** How many readers a room has. */
  sizeOf(room: string): number;
  send(room: string, news: readonly News[]): void;
}

/** Readers for whom one more millisecond is gathered. */
const readersPerMs = 20;
const gatherMsMax = 100;

export function pace({ clock, sizeOf, send }: PaceParts): Pace {
  const rooms = new Map<string, News[]>();

  function next(room: string): void {
    const waiting = rooms.get(room) ?? [];
    if (waiting.length === 0) {
      rooms.delete(room);
      return;
    }
    rooms.set(room, []);
    send(room, waiting);
    const gatherMs = Math.min(gatherMsMax, Math.floor(sizeOf(room) / readersPerMs));
    clock.alarm(clock.now() + gatherMs, () => next(room));
  }

  return {
    add(room, news) {
      const waiting = rooms.get(room);
      if (waiting !== undefined) {
        waiting.push(news);
        return;
      }
      rooms.set(room, [news]);
      // What else is said in this very moment comes along.
      setImmediate(() => next(room));
    },
  };
}
