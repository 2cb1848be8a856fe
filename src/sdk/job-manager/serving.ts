// Auto-serve: one task after the other, from claim to outcome.

import { runHandler } from "../run-handler.ts";
import type { ClaimedTask } from "./claimed-task.ts";
import type { Claiming } from "./claiming.ts";
import type { Settling } from "./settling.ts";

/** What comes back is the task's result. What is thrown fails it; `RetryLater` gives it back. */
export type Execute = (task: ClaimedTask) => unknown;

/** Ends when the manager stops, after the task that is under way. */
export async function serve(
  execute: Execute,
  pollingMs: number,
  { claiming, settling }: { readonly claiming: Claiming; readonly settling: Settling },
): Promise<void> {
  while (true) {
    const task = await claiming.next(pollingMs);
    if (task === undefined) return;
    try {
      await settling.start(task);
    } catch (error) {
      await settling.giveBack(task, error);
      continue;
    }
    const { taskId: id, jobName: job, roomId: room, attempt, signal, task: wire } = task;
    const facts = { id, job, room, attempt, payload: wire.payload };
    const definition = { name: job, options: {}, handler: () => execute(task) };
    const outcome = await runHandler(definition, facts, { progress() {}, log() {}, alert() {} }, signal);
    await settling.settleSomehow(task, signal, outcome);
  }
}
