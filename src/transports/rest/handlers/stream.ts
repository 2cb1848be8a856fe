// A task as server-sent events: as it is, then whenever it moves, with the lines of its log where they are wanted, until
// it is final or the caller leaves.

import type { Principal } from "../../../core/access.ts";
import type { FollowWords, News } from "../../../engine/desks/following.ts";
import type { TaskDesk } from "../../../engine/desks/task-desk.ts";
import { logJson } from "../log-json.ts";
import { taskJson } from "../task-json.ts";

export async function* taskStream(
  tasks: TaskDesk,
  who: Principal,
  id: string,
  words: FollowWords,
): AsyncGenerator<string> {
  for await (const news of tasks.follow(who, id, words)) yield eventText(news);
}

function eventText(news: News): string {
  // A word now and then keeps the connection open, and shows whether anyone still reads.
  if (news === "still") return ": still\n\n";
  if ("line" in news) return `event: log\ndata: ${logJson(news.line, news.number)}\n\n`;
  return `id: ${news.record.row.version}\nevent: task\ndata: ${oneLine(taskJson(news))}\n\n`;
}

/** A payload may be written over many lines. Inside of texts JSON has no line breaks, so those between are but space. */
function oneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, " ");
}
