// A socket of the manager's own, for hosts that have none.

import type { ManagerOptions, Socket, SocketOptions } from "socket.io-client";
import type { ApiManager } from "./host-api.ts";

const comeBackMs = 5_000;

/** How the manager connects a socket of its own. */
export type OwnSocketOptions = Partial<ManagerOptions & SocketOptions>;

export function isSocket(socket: Socket | OwnSocketOptions): socket is Socket {
  return "emit" in socket && typeof socket.emit === "function";
}

/** The token is that of the REST requests, asked for again at every connect. None is made once it is `over`. */
export async function ownSocket(api: ApiManager, options: OwnSocketOptions, over: AbortSignal): Promise<Socket> {
  const { io } = await import("socket.io-client");
  const auth = (answer: (words: object) => void) => {
    void tokenOf(api).then((token) => answer(token === undefined ? {} : { token }));
  };
  // A WebSocket first: its end is seen at once, where one who polls is missed only after a while.
  const transports = { transports: ["websocket", "polling"], tryAllTransports: true };
  const socket = io(api.baseUrl, { auth, ...transports, ...options });
  // The library comes back after a lost connection, but not to a server that ended or refused it. The token may be a
  // better one by then.
  const comeBack = () => {
    if (socket.active) return;
    setTimeout(() => over.aborted || socket.connect(), options.reconnectionDelayMax ?? comeBackMs).unref();
  };
  socket.on("connect_error", comeBack);
  socket.on("disconnect", (reason) => reason !== "io client disconnect" && comeBack());
  return socket;
}

/** Without one the server refuses the connection, which is tried again. */
async function tokenOf(api: ApiManager): Promise<string | undefined> {
  try {
    const authorization = new Headers(await api.getHeaders()).get("authorization");
    return authorization?.replace(/^Bearer\s+/i, "");
  } catch {
    return undefined;
  }
}
