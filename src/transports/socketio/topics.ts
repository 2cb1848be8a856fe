// A room of sockets is a topic of the bus: it is listened to as long as someone is in it, and what comes is passed on
// as it is. Between servers a word may overtake a newer one about the same task; then it is not passed on any more.

import type { Namespace } from "socket.io";
import type { ListenDesk } from "../../engine/desks/listen-desk.ts";
import type { Bus } from "../../ports/bus.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ServerEventData } from "../../protocol/socketio/events.ts";
import { isFeed, sightOf } from "./feeds.ts";
import { followTask, isFollow } from "./follows.ts";
import { pace } from "./pace.ts";
import type { News } from "./pile.ts";
import type { Readers } from "./readers.ts";

export interface TopicParts {
  readonly bus: Pick<Bus, "subscribe">;
  readonly desk: Pick<ListenDesk, "worker" | "feed" | "follow">;
  readonly readers: Readers;
  readonly clock: Clock;
}

/** How many tasks' latest versions are remembered. */
const versionsMax = 10_000;

export function topics(namespace: Namespace, { bus, desk, readers, clock }: TopicParts): void {
  const ears = new Map<string, () => void>();
  const versions = new Map<string, number>();
  const sizeOf = (room: string): number => namespace.adapter.rooms.get(room)?.size ?? 0;
  const crowds = pace({ clock, sizeOf, send: readers.send });

  function listen(room: string): (() => void) | null {
    const worker = /^worker:(.*)$/s.exec(room)?.[1];
    if (worker !== undefined) {
      return desk.worker(worker, (task) => {
        const text = JSON.stringify(["task_cancel", { task_id: task, worker_id: worker }]);
        readers.send(room, [{ text, key: text, job: null }]);
      });
    }
    if (isFollow(room)) return followTask(desk, room, (news) => readers.send(room, [news]));
    if (isFeed(room)) return desk.feed(sightOf(room), (message) => pass(room, message));
    return /^(?:jobs|providers|room):/.test(room) ? bus.subscribe(room, (message) => pass(room, message)) : null;
  }

  function pass(room: string, message: string): void {
    const [event, data] = JSON.parse(message) as [string, Partial<ServerEventData<"task_status_event">>];
    const { id, version, name = null } = data;
    if (event !== "task_status_event" || id === undefined || version === undefined) {
      tell(room, { text: message, key: message, job: null });
    } else if (isNews(id, version)) {
      tell(room, { text: message, key: `task ${id}`, job: name });
    }
  }

  /** Viewers come in crowds and can wait a moment; whoever is to do something is told at once. */
  function tell(room: string, news: News): void {
    if (room.startsWith("room:") || isFeed(room)) crowds.add(room, news);
    else readers.send(room, [news]);
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
