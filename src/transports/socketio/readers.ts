// Sends what a room is told to everyone in it, encoded once. Whoever cannot read as fast steps aside: what comes for him
// meanwhile is piled up, merged, and sent when he has caught up. One whose pile is full is cut off; he connects again
// and asks for how things stand.

import type { Namespace, Socket } from "socket.io";
import { isInSight } from "../../core/feed.ts";
import { feedOf } from "./feeds.ts";
import { frames } from "./frames.ts";
import { type News, type Pile, pile } from "./pile.ts";

export interface Readers {
  send(room: string, news: readonly News[]): void;
  leave(socket: Socket): void;
}

/** Packets that wait for a connection before it counts as slow. */
const packetsMax = 64;
/** News that wait for a slow one, merged. */
const piledMax = 10_000;

export function readers(namespace: Namespace): Readers {
  const slow = new Map<Socket, Pile>();
  const { rooms } = namespace.adapter;

  function stepAside(socket: Socket): Pile {
    const waiting = pile(piledMax);
    slow.set(socket, waiting);
    socket.conn.once("drain", () => catchUp(socket));
    return waiting;
  }

  function catchUp(socket: Socket): void {
    const waiting = slow.get(socket);
    slow.delete(socket);
    if (waiting !== undefined && waiting.size > 0) frames(waiting.take()).sendTo(socket);
  }

  return {
    send(room, news) {
      const all = frames(news);
      const isViewed = room.startsWith("room:");
      const viewed = room.slice("room:".length);
      for (const id of rooms.get(room) ?? []) {
        const socket = namespace.sockets.get(id);
        if (socket === undefined) continue;
        const fed = isViewed ? feedOf(socket) : null;
        // What its feed tells a connection is not told to it once more in the rooms that it has joined.
        const own = fed === null ? news : news.filter(({ job }) => !isInSight(fed, { rooms: [viewed], job }));
        if (own.length === 0) continue;
        const waiting = slow.get(socket) ?? (isBehind(socket) ? stepAside(socket) : null);
        if (waiting === null) (own === news ? all : frames(own)).sendTo(socket);
        else if (!own.every((each) => waiting.add(each))) socket.conn.close(true);
      }
    },
    leave: (socket) => void slow.delete(socket),
  };
}

/** What its transport has not taken yet is public, but not in the types. */
function isBehind({ conn }: Socket): boolean {
  return (conn as unknown as { readonly writeBuffer: readonly unknown[] }).writeBuffer.length >= packetsMax;
}
