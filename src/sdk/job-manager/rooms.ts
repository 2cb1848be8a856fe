// The Socket.IO side: which rooms a manager is in, and what it hears there. All of it may be missing or lost: a wake-up
// only spares the wait for the next look.

import type { Socket } from "socket.io-client";

export interface ProviderRequest {
  readonly request_id: string;
  readonly provider_name: string;
  /** JSON text. */
  readonly params: string;
}

export interface Heard {
  taskAvailable(): void;
  taskCancelled(taskId: string): void;
  providerRequested(request: ProviderRequest): void;
  /** Also when it was the first time. */
  connected(): void;
  disconnected(): void;
}

export interface Rooms {
  attach(socket: Socket, isOurs: boolean): void;
  join(kind: RoomKind, name: string, workerId: string): void;
  leave(kind: RoomKind, name: string): void;
  leaveAll(): void;
  /** Hears no more, and ends the socket if it is ours. Later than leaving, so that the server hears of that. */
  close(): void;
}

export type RoomKind = "job" | "provider";

export function rooms(heard: Heard): Rooms {
  const joined = { job: new Map<string, string>(), provider: new Map<string, string>() };
  let attached: { readonly socket: Socket; readonly isOurs: boolean } | undefined;

  const listeners = {
    connect() {
      for (const [kind, name, workerId] of all()) emit("join", kind, name, workerId);
      heard.connected();
    },
    disconnect: () => heard.disconnected(),
    task_available: () => heard.taskAvailable(),
    task_cancel: (event: { readonly task_id: string }) => heard.taskCancelled(event.task_id),
    provider_request: (event: ProviderRequest) => heard.providerRequested(event),
  };

  function all(): [RoomKind, string, string][] {
    const kinds = ["provider", "job"] as const;
    return kinds.flatMap((kind) => [...joined[kind]].map(([name, id]): [RoomKind, string, string] => [kind, name, id]));
  }

  /** While there is no connection nothing is kept to be sent: connecting joins all rooms. */
  function emit(what: "join" | "leave", kind: RoomKind, name: string, workerId: string): void {
    if (attached?.socket.connected !== true) return;
    attached.socket.emit(`${what}_${kind}_room`, { [`${kind}_name`]: name, worker_id: workerId });
  }

  function leave(kind: RoomKind, name: string): void {
    const workerId = joined[kind].get(name);
    joined[kind].delete(name);
    if (workerId !== undefined) emit("leave", kind, name, workerId);
  }

  return {
    attach(socket, isOurs) {
      attached = { socket, isOurs };
      for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
      if (socket.connected) listeners.connect();
    },
    join(kind, name, workerId) {
      joined[kind].set(name, workerId);
      emit("join", kind, name, workerId);
    },
    leave,
    leaveAll() {
      for (const [kind, name] of all()) leave(kind, name);
    },
    close() {
      for (const [event, listener] of Object.entries(listeners)) attached?.socket.off(event, listener);
      if (attached?.isOurs === true) attached.socket.disconnect();
      attached = undefined;
    },
  };
}
