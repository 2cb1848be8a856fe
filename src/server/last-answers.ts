// The end of connections that are kept for the next request. Those without a request in hand end soon, also where the
// beginning of one was sent. One with a request in hand would stay until its client tires of it, so its answer says that
// it is the last, and the connection ends then. However long an answer is, whoever reads it gets all of it.

import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

export interface LastAnswers {
  /** How many requests have come and wait for the end of their answers. */
  inHand(): number;
  /** From here on every answer is the last on its connection. */
  begin(): void;
  /** Ends the connections on which nothing was asked yet: a while later, so that what had arrived could be read. */
  endSilent(): void;
}

export function lastAnswers(server: Server): LastAnswers {
  // What each connection has in hand is kept with it. One collection of all that come and go would cost more than it
  // looks: a map that grows anew leaves its old table behind, which holds on to a crowd of requests that are long over.
  const open = new Map<Socket, ServerResponse[]>();
  let inHandCount = 0;
  let begun = false;

  function makeLast(response: ServerResponse, socket: Socket): void {
    if (!response.headersSent) response.setHeader("connection", "close");
    // Of a stream that has begun it can be said no more.
    else response.once("close", () => socket.destroySoon());
  }

  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    open.set(socket, []);
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    if (begun) makeLast(response, socket);
    const inHand = open.get(socket);
    inHand?.push(response);
    inHandCount += 1;
    response.once("close", () => {
      inHand?.splice(inHand.indexOf(response), 1);
      inHandCount -= 1;
    });
  });
  // Node takes a connection for idle as soon as its answer is written, though most of it may still be under way.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const sending = [...open.keys()].filter((socket) => open.get(socket)?.some(({ writableEnded }) => writableEnded));
    for (const socket of sending) socket.destroy = () => socket;
    closeIdle();
    for (const socket of sending) Reflect.deleteProperty(socket, "destroy");
  };
  return {
    inHand: () => inHandCount,
    begin() {
      begun = true;
      for (const [socket, inHand] of open) for (const response of inHand) makeLast(response, socket);
    },
    endSilent() {
      for (const [socket, inHand] of open) if (inHand.length === 0) socket.destroySoon();
    },
  };
}
