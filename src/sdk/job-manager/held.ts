// The tasks in a manager's hands, so that a word about one of them reaches its handler.

import { TaskLost } from "./claimed-task.ts";

export interface Held {
  /** Answers the signal of the task. */
  take(taskId: string, workerId: string, flush: () => Promise<void>): AbortSignal;
  /** Lets what was reported about the task go out before what ends it. */
  flush(taskId: string): Promise<void>;
  letGo(taskId: string): void;
  cancel(taskId: string): void;
  /** All that this worker held, or all there is. */
  loseAll(why: string, workerId?: string): void;
}

interface HeldTask {
  readonly workerId: string;
  readonly controller: AbortController;
  readonly flush: () => Promise<void>;
}

export function held(): Held {
  const tasks = new Map<string, HeldTask>();

  function lose(taskId: string, why: string): void {
    tasks.get(taskId)?.controller.abort(new TaskLost(why));
    tasks.delete(taskId);
  }

  return {
    take(taskId, workerId, flush) {
      const controller = new AbortController();
      tasks.set(taskId, { workerId, controller, flush });
      return controller.signal;
    },
    flush: async (taskId) => tasks.get(taskId)?.flush(),
    letGo: (taskId) => void tasks.delete(taskId),
    cancel: (taskId) => lose(taskId, `Task ${taskId} was cancelled`),
    loseAll(why, workerId) {
      for (const [taskId, task] of [...tasks]) {
        if (workerId === undefined || task.workerId === workerId) lose(taskId, why);
      }
    },
  };
}

/** Whether nobody asks for the outcome any more. */
export function isLost(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof TaskLost;
}
