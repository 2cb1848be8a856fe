// Feeds as rooms of sockets: everyone with the same limits is in the same one, whose name says them. So what a feed is
// told is looked at and encoded once for all of them.

import type { Socket } from "socket.io";
import type { Sight } from "../../core/feed.ts";

const prefix = "feed:";

export function feedRoom({ rooms, jobs }: Sight): string {
  return prefix + JSON.stringify([sorted(rooms), sorted(jobs)]);
}

export function isFeed(room: string): boolean {
  return room.startsWith(prefix);
}

export function sightOf(room: string): Sight {
  const [rooms, jobs] = JSON.parse(room.slice(prefix.length)) as [Sight["rooms"], Sight["jobs"]];
  return { rooms, jobs };
}

/** What a connection is told by its feed; null where it has joined none. */
export function feedOf(socket: Socket): Sight | null {
  return (socket.data as Fed).feed ?? null;
}

/** Beside its room, because it is asked for with every event of every room. */
export function noteFeed(socket: Socket, sight: Sight | null): void {
  (socket.data as Fed).feed = sight;
}

interface Fed {
  feed?: Sight | null;
}

function sorted(names: readonly string[] | null): string[] | null {
  return names === null ? null : [...names].sort();
}
