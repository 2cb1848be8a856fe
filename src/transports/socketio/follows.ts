// Followed tasks as rooms of sockets: one watch for all who follow the same task here.

import type { ListenDesk } from "../../engine/desks/listen-desk.ts";
import { logJson } from "../rest/log-json.ts";
import { progressOf } from "../rest/task-json.ts";
import type { News } from "./pile.ts";

const prefix = "follow:";

export function followRoom(task: string): string {
  return prefix + task;
}

export function isFollow(room: string): boolean {
  return room.startsWith(prefix);
}

/** Returns what ends it. */
export function followTask(desk: Pick<ListenDesk, "follow">, room: string, tell: (news: News) => void): () => void {
  const id = room.slice(prefix.length);
  return desk.follow(id, {
    progress({ card, row }) {
      const data = { id, room_id: card.room, progress: progressOf(row), version: row.version };
      tell({ text: JSON.stringify(["task_progress", data]), key: `progress ${id}`, job: null });
    },
    lines(lines, from) {
      const items = lines.map((line) => logJson(line)).join();
      const text = `["task_log",{"task_id":${JSON.stringify(id)},"from":${from},"lines":[${items}]}]`;
      tell({ text, key: `log ${id} ${from}`, job: null });
    },
  });
}
