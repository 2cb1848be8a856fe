// How many connections of a server speak HTTP: those that became something else are counted where they went.

import type { Server } from "node:http";
import type { Duplex } from "node:stream";

export function httpConnections(server: Server, isTls: boolean): () => number {
  const open = new Set<Duplex>();
  server.on(isTls ? "secureConnection" : "connection", (socket: Duplex) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("upgrade", (_, socket: Duplex) => open.delete(socket));
  return () => open.size;
}
