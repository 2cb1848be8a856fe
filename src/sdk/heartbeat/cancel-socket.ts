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
  /** The connection was lost, or could not be had again. A worker of whom nothing is heard then is given up soon. */
  onCut(): void;
}

/** Where there is no such door it is not knocked at all the time. */
const unknownMs = 30_000;
/** A door that was open is come back to before the server gives the worker up. */
const knownMs = 2_000;

export function cancelSocket({ url, token, onCancel, onCut }: CancelSocketOptions): CancelSocket {
  let serving: { readonly worker: string; readonly jobs: readonly string[] } | null = null;
  let wasCut = false;
  let comeBackMs = unknownMs;
  let coming: NodeJS.Timeout | undefined;
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

  /** The library does so after a lost connection, but not to a server that ended or refused it. */
  function comeBack(): void {
    if (socket.active || serving === null) return;
    clearTimeout(coming);
    coming = setTimeout(() => socket.connect(), comeBackMs);
  }

  socket.on("connect", () => {
    socket.io.reconnectionDelayMax(knownMs);
    [comeBackMs, wasCut] = [knownMs, false];
    join();
  });
  socket.on("task_cancel", (said: { readonly task_id?: unknown; readonly worker_id?: unknown }) => {
    if (typeof said?.task_id === "string") onCancel(String(said.worker_id), said.task_id);
  });
  socket.on("disconnect", () => {
    if (serving === null) return;
    wasCut = true;
    onCut();
    comeBack();
  });
  socket.on("connect_error", () => {
    // The server may have noticed the loss later than we did; what it heard before does not count.
    if (wasCut) onCut();
    wasCut = false;
    comeBack();
  });

  return {
    serve(worker, jobs) {
      serving = { worker, jobs };
      if (socket.connected) join();
      else socket.connect();
    },
    close() {
      serving = null;
      clearTimeout(coming);
      socket.close();
    },
  };
}
