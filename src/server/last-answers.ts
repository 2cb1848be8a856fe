// The end of connections that are kept for the next request. Those without a request in hand end soon, also where the
// beginning of one was sent. One with a request in hand would stay until its client tires of it, so its answer says that
// it is the last, and the connection ends then. However long an answer is, whoever reads it gets all of it.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

export interface LastAnswers {
  /** From here on every answer is the last on its connection. */
  begin(): void;
  /** Ends the connections on which nothing was asked yet: a while later, so that what had arrived could be read. */
  endSilent(): void;
}

export function lastAnswers(server: Server): LastAnswers {
  const inHand = new Map<ServerResponse, IncomingMessage>();
  const open = new Set<Socket>();
  let begun = false;

  function makeLast(response: ServerResponse, { socket }: IncomingMessage): void {
    if (!response.headersSent) response.setHeader("connection", "close");
    // Of a stream that has begun it can be said no more.
    else response.once("close", () => socket.destroySoon());
  }

  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("request", (request, response) => {
    if (begun) makeLast(response, request);
    inHand.set(response, request);
    response.once("close", () => inHand.delete(response));
  });
  // Node takes a connection for idle as soon as its answer is written, though most of it may still be under way.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const sending = [...inHand].filter(([response]) => response.writableEnded).map(([, { socket }]) => socket);
    for (const socket of sending) socket.destroy = () => socket;
    closeIdle();
    for (const socket of sending) Reflect.deleteProperty(socket, "destroy");
  };
  return {
    begin() {
      begun = true;
      for (const [response, request] of inHand) makeLast(response, request);
    },
    endSilent() {
      const busy = new Set([...inHand.values()].map(({ socket }) => socket));
      for (const socket of open) if (!busy.has(socket)) socket.destroySoon();
    },
  };
}
