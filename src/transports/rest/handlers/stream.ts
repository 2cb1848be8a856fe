// A task as server-sent events: as it is, then whenever it moves, until it is final or the caller leaves.

import type { Principal } from "../../../core/access.ts";
import type { TaskDesk } from "../../../engine/desks/task-desk.ts";
import { taskJson } from "../task-json.ts";

export async function* taskStream(
  tasks: TaskDesk,
  who: Principal,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const view of tasks.follow(who, id, signal)) {
    // A word now and then keeps the connection open, and shows whether anyone still reads.
    yield view === "still"
      ? ": still\n\n"
      : `id: ${view.record.row.version}\nevent: task\ndata: ${oneLine(taskJson(view))}\n\n`;
  }
}

/** A payload may be written over many lines. Inside of texts JSON has no line breaks, so those between are but space. */
function oneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, " ");
}
