// The end of connections that are kept for the next request. Those at rest end when the server closes; one with a request
// in hand would stay until its client tires of it, so its answer says that it is the last, and the connection ends then.

import type { IncomingMessage, Server, ServerResponse } from "node:http";

export interface LastAnswers {
  /** From here on every answer is the last on its connection. */
  begin(): void;
}

export function lastAnswers(server: Server): LastAnswers {
  const inHand = new Map<ServerResponse, IncomingMessage>();
  let begun = false;

  function makeLast(response: ServerResponse, { socket }: IncomingMessage): void {
    if (!response.headersSent) response.setHeader("connection", "close");
    // Of a stream that has begun it can be said no more.
    else response.once("close", () => socket.destroySoon());
  }

  server.on("request", (request, response) => {
    if (begun) makeLast(response, request);
    inHand.set(response, request);
    response.once("close", () => inHand.delete(response));
  });
  return {
    begin() {
      begun = true;
      for (const [response, request] of inHand) makeLast(response, request);
    },
  };
}
