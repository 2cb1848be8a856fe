// A room of sockets is a topic of the bus: it is listened to as long as someone is in it, and what comes is passed on
// as it is. Between servers a word may overtake a newer one about the same task; then it is not passed on any more.

import type { Namespace } from "socket.io";
import type { ListenDesk } from "../../engine/desks/listen-desk.ts";
import type { Bus } from "../../ports/bus.ts";
import type { PiledEvent } from "./pile.ts";
import type { Readers } from "./readers.ts";

export interface TopicParts {
  readonly bus: Pick<Bus, "subscribe">;
  readonly desk: Pick<ListenDesk, "worker">;
  readonly readers: Readers;
}

/** How many tasks' latest versions are remembered. */
const versionsMax = 10_000;

export function topics(namespace: Namespace, { bus, desk, readers }: TopicParts): void {
  const ears = new Map<string, () => void>();
  const versions = new Map<string, number>();

  function listen(room: string): (() => void) | null {
    const worker = /^worker:(.*)$/s.exec(room)?.[1];
    if (worker !== undefined) {
      return desk.worker(worker, (task) => {
        const data = { task_id: task, worker_id: worker };
        readers.send(room, { event: "task_cancel", data, key: `cancel ${task}` });
      });
    }
    return /^(?:jobs|providers|room):/.test(room) ? bus.subscribe(room, (message) => pass(room, message)) : null;
  }

  function pass(room: string, message: string): void {
    const [event, data] = JSON.parse(message) as [string, { readonly id?: string; readonly version?: number }];
    const { id, version } = data;
    if (event !== "task_status_event" || id === undefined || version === undefined) {
      readers.send(room, { event, data, key: message } satisfies PiledEvent);
    } else if (isNews(id, version)) {
      readers.send(room, { event, data, key: `task ${id}` } satisfies PiledEvent);
    }
  }

  function isNews(task: string, version: number): boolean {
    const known = versions.get(task);
    if (known !== undefined && known > version) return false;
    versions.delete(task);
    if (versions.size >= versionsMax) versions.delete(versions.keys().next().value as string);
    versions.set(task, version);
    return true;
  }

  namespace.adapter.on("create-room", (room: string) => {
    const deafen = listen(room);
    if (deafen !== null) ears.set(room, deafen);
  });
  namespace.adapter.on("delete-room", (room: string) => {
    ears.get(room)?.();
    ears.delete(room);
  });
}
