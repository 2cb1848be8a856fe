// Connections that want to be something else than HTTP, by their path. Where nothing takes them they are told so.

import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Problem } from "../core/problem.ts";

/** Takes the connection over; what was read beyond the request is `head`. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** For the options of the HTTP server: offers to go on in another version of HTTP are ignored, as they may be. */
export const wantsUpgrade = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket",
};

/** `doors` are by their path, or, where it ends in a slash, by its beginning. */
export function routeUpgrades(server: Server, doors: ReadonlyMap<string, Upgrade>, stopping: AbortSignal): void {
  server.on("upgrade", (request, socket, head) => {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    const door = [...doors].find(([own]) => (own.endsWith("/") ? path.startsWith(own) : path === own))?.[1];
    if (stopping.aborted) refuse(socket, new Problem("stopping", "The server is stopping"));
    else if (door === undefined) refuse(socket, new Problem("not-found", "Nothing here can be upgraded to"));
    else door(request, socket, head);
  });
}

/** As HTTP, on a connection that asked to be something else. */
export function refuse(socket: Duplex, problem: Problem): void {
  // Whoever hangs up now need not be answered.
  socket.on("error", () => undefined);
  const body = JSON.stringify(problem.toBody());
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      "Content-Type: application/problem+json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(problem.code === "upgrade-required" ? ["Upgrade: websocket", "Sec-WebSocket-Version: 13"] : []),
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
