// News as bytes, made once for everyone who gets them. For a WebSocket the frames of all of them are one buffer and one
// write, which is most of what a crowd costs. Socket.IO does the same for a single packet that goes to a whole room.

import type { Socket } from "socket.io";
import type { News } from "./pile.ts";

export interface Frames {
  sendTo(socket: Socket): void;
}

export function frames(news: readonly News[]): Frames {
  let options: { readonly compress: boolean; readonly wsPreEncodedFrame: readonly Buffer[] } | null = null;

  return {
    sendTo(socket) {
      const connection = socket.conn as unknown as Connection;
      if (takesFrames(connection)) {
        options ??= { compress: false, wsPreEncodedFrame: [Buffer.concat(news.flatMap(frameOf))] };
        connection.write("", options);
      } else {
        for (const { text } of news) connection.write(`2${text}`);
      }
    },
  };
}

/** The parts of a connection that Socket.IO uses itself and its types leave out. */
interface Connection {
  readonly transport: {
    readonly name: string;
    readonly socket?: { readonly _sender?: { readonly sendFrame?: unknown } };
  };
  write(packet: string, options?: object): void;
}

/** A transport never changes back from a WebSocket, so what is written now is sent by it. */
function takesFrames({ transport }: Connection): boolean {
  return transport.name === "websocket" && typeof transport.socket?._sender?.sendFrame === "function";
}

/** A whole text message, without a mask: `4` is a message of Engine.IO, `2` an event of Socket.IO. */
function frameOf({ text }: News): Buffer[] {
  const body = Buffer.from(`42${text}`);
  const { length } = body;
  if (length < 126) return [Buffer.from([0x81, length]), body];
  if (length < 65_536) return [Buffer.from([0x81, 126, length >> 8, length & 255]), body];
  const head = Buffer.alloc(10);
  head.set([0x81, 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return [head, body];
}
