// The tasks in a manager's hands, so that a word about one of them reaches its handler.

import { TaskLost } from "./claimed-task.ts";

export interface Held {
  /** Answers the signal of the task. */
  take(task: Taken, flush: () => Promise<void>): AbortSignal;
  /** Lets what was reported about the task go out before what ends it. */
  flush(taskId: string): Promise<void>;
  /** This attempt; the same task may have come back since. */
  letGo(taskId: string, attempt: number): void;
  cancel(taskId: string): void;
  /** This attempt is another's by now. */
  evict(taskId: string, attempt: number): void;
  /** All that this worker held, or all there is. */
  loseAll(why: string, workerId?: string): void;
}

export interface Taken {
  readonly taskId: string;
  readonly attempt: number;
  readonly workerId: string;
}

interface HeldTask extends Taken {
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
    take(task, flush) {
      const controller = new AbortController();
      tasks.set(task.taskId, { ...task, controller, flush });
      return controller.signal;
    },
    flush: async (taskId) => tasks.get(taskId)?.flush(),
    letGo(taskId, attempt) {
      if (tasks.get(taskId)?.attempt === attempt) tasks.delete(taskId);
    },
    cancel: (taskId) => lose(taskId, `Task ${taskId} was cancelled`),
    evict(taskId, attempt) {
      if (tasks.get(taskId)?.attempt === attempt) lose(taskId, `Task ${taskId} was taken away by an operator`);
    },
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
