// Cancels as they happen, over Socket.IO. A server without that door, or a wire that does not carry it, costs nothing but
// time: the answer to the next heartbeat names the same tasks.

import { io } from "socket.io-client";

export interface CancelSocket {
  /** From now on for this worker. */
  serve(worker: string, jobs: readonly string[]): void;
  close(): void;
}

export interface CancelSocketOptions {
  readonly url: string;
  /** Asked at every connection. */
  token(): string;
  onCancel(worker: string, task: string): void;
  /** The connection is gone, for now. */
  onLost?(): void;
}

/** Where there is no such door it is not knocked at all the time. */
const unknownMs = 30_000;
/** A door that was open is come back to before the server gives the worker up. */
const knownMs = 2_000;

export function cancelSocket({ url, token, onCancel, onLost }: CancelSocketOptions): CancelSocket {
  let serving: { readonly worker: string; readonly jobs: readonly string[] } | null = null;
  const socket = io(url, {
    ...{ transports: ["websocket"], autoConnect: false },
    ...{ reconnectionDelay: 500, reconnectionDelayMax: unknownMs },
    auth: (give) => give({ token: token() }),
  });

  function join(): void {
    if (serving === null || !socket.connected) return;
    const { worker: worker_id, jobs } = serving;
    for (const job_name of jobs) socket.emit("join_job_room", { job_name, worker_id });
  }

  socket.on("connect", () => {
    socket.io.reconnectionDelayMax(knownMs);
    join();
  });
  socket.on("task_cancel", (said: { readonly task_id?: unknown; readonly worker_id?: unknown }) => {
    if (typeof said?.task_id === "string") onCancel(String(said.worker_id), said.task_id);
  });
  // A server that ends the connection itself is not come back to by the library.
  socket.on("disconnect", (reason) => {
    if (serving !== null) onLost?.();
    if (reason === "io server disconnect") setTimeout(() => serving !== null && socket.connect(), knownMs);
  });

  return {
    serve(worker, jobs) {
      serving = { worker, jobs };
      if (socket.connected) join();
      else socket.connect();
    },
    close() {
      serving = null;
      socket.close();
    },
  };
}
