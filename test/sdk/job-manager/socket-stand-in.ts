// A Socket.IO server beside the real one, which knows the documents' events and nothing else. Tests that use it say what
// the server would say. They can be pointed at the server's own door by giving its address as `url` and leaving the
// saying to it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { Server } from "socket.io";
import { io, type Socket } from "socket.io-client";

export interface SocketStandIn {
  readonly url: string;
  /** What clients said, as in `join_job_room @global:modifiers:Rotate`, with the worker's id. */
  readonly heard: { readonly what: string; readonly workerId: string }[];
  client(): Socket;
  /** To all who joined the room, as in `jobs:@global:modifiers:Rotate`. */
  say(room: string, event: string, data: object): void;
  sayToAll(event: string, data: object): void;
  /** Cuts every connection; clients come back. */
  cut(): void;
  /** Ends every connection in good order, and refuses so many of the next. */
  sendAway(refusals: number): void;
  /** What clients show to be let in. */
  readonly shown: unknown[];
}

export async function socketStandIn(): Promise<SocketStandIn> {
  const http = createServer();
  const server = new Server(http);
  const heard: SocketStandIn["heard"] = [];
  const shown: unknown[] = [];
  let refusals = 0;
  server.use((socket, next) => {
    shown.push(socket.handshake.auth);
    if (refusals === 0) return next();
    refusals -= 1;
    next(new Error("Not now"));
  });
  server.on("connection", (socket) => {
    for (const kind of ["job", "provider"]) {
      for (const what of ["join", "leave"] as const) {
        const event = `${what}_${kind}_room`;
        socket.on(event, (data: Readonly<Record<string, string>>) => {
          const name = data[`${kind}_name`] ?? "";
          heard.push({ what: `${event} ${name}`, workerId: data["worker_id"] ?? "" });
          void socket[what](`${kind}s:${name}`);
        });
      }
    }
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const clients: Socket[] = [];
  after(async () => {
    for (const client of clients) client.disconnect();
    await server.close();
  });
  return {
    ...{ url, heard, shown },
    client() {
      const client = io(url, { reconnectionDelay: 10, forceNew: true });
      clients.push(client);
      return client;
    },
    say: (room, event, data) => void server.to(room).emit(event, data),
    sayToAll: (event, data) => void server.emit(event, data),
    sendAway(count) {
      refusals = count;
      server.disconnectSockets();
    },
    cut: () => server.sockets.sockets.forEach((socket) => void socket.conn.close()),
  };
}
