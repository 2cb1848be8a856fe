// Sends what a room is told to everyone in it, encoded once. Whoever cannot read as fast steps aside: what comes for him
// meanwhile is piled up, merged, and sent when he has caught up. One whose pile is full is cut off; he connects again
// and asks for how things stand.

import type { Namespace, Socket } from "socket.io";
import { type Pile, type PiledEvent, pile } from "./pile.ts";

export interface Readers {
  send(room: string, event: PiledEvent): void;
  leave(socket: Socket): void;
}

export interface ReaderLimits {
  /** Packets that wait for a connection before it counts as slow. */
  readonly packetsMax: number;
  /** Merged events that wait for a slow one. */
  readonly piledMax: number;
}

export const defaultReaderLimits: ReaderLimits = { packetsMax: 64, piledMax: 10_000 };

/** The room of those who step aside; no topic has such a name. */
const aside = "slow";

export function readers(namespace: Namespace, limits: ReaderLimits = defaultReaderLimits): Readers {
  const slow = new Map<Socket, Pile>();
  const { rooms } = namespace.adapter;

  function isBehind({ conn }: Socket): boolean {
    return (conn as unknown as Buffering).writeBuffer.length >= limits.packetsMax;
  }

  /** Those in the room who have fallen behind since the last time. */
  function stepAside(room: string): void {
    for (const id of rooms.get(room) ?? []) {
      const socket = namespace.sockets.get(id);
      if (socket === undefined || slow.has(socket) || !isBehind(socket)) continue;
      slow.set(socket, pile(limits.piledMax));
      socket.join(aside);
      socket.conn.once("drain", () => catchUp(socket));
    }
  }

  function catchUp(socket: Socket): void {
    const waiting = slow.get(socket);
    if (waiting === undefined) return;
    slow.delete(socket);
    socket.leave(aside);
    for (const { event, data } of waiting.take()) socket.emit(event, data);
  }

  return {
    send(room, event) {
      stepAside(room);
      namespace.to(room).except(aside).emit(event.event, event.data);
      for (const [socket, waiting] of slow) {
        if (!socket.rooms.has(room)) continue;
        if (!waiting.add(event)) socket.conn.close(true);
      }
    },
    leave: (socket) => void slow.delete(socket),
  };
}

/** Packets of a connection that its transport has not taken yet; public, but not in the types. */
interface Buffering {
  readonly writeBuffer: readonly unknown[];
}
