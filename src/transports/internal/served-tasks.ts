// The tasks that an executor process has in hand, each with the server that wants it done. The threads run them; here is
// what is said about them, and to whom.

import type { Assignment, Ending, Hold } from "../../core/internal-job.ts";
import type { Broker, Reports } from "../../ports/broker.ts";
import type { Posted, ToExecutor, ToServer } from "../../protocol/internal/amqp.ts";
import { holdOf } from "./outgoing.ts";

/** An assignment with whoever wants it done. */
export interface Served extends Assignment {
  readonly server: string;
}

export interface ServedTask {
  readonly served: Served;
  /** Answers the thread, which waits for leave to run. */
  leave: ((may: boolean) => void) | null;
  /** The message in the queue is not needed any more. */
  readonly taken: () => void;
  ending: Ending | null;
  aborted: boolean;
  /** Nobody wants to hear of it. */
  dropped: boolean;
}

/** What is said to a server, but for who says it. */
export type Words = ToServer extends infer Each ? (Each extends unknown ? Omit<Each, "executor"> : never) : never;

export interface ServedTasksParts {
  readonly threads: Pick<Broker, "dispatch" | "abort">;
  /** Answers whether it is in the server's queue; null where nobody can tell. */
  tell(server: string, words: Words): Promise<boolean | null>;
  /** A place is free, or nothing is left to say of a task. */
  changed(): void;
}

export interface ServedTasks {
  /** What the threads are to be started with. */
  readonly reports: Reports;
  all(): readonly ServedTask[];
  /** Resolves when its server has answered, or it has ended. */
  take(posted: Posted): Promise<void>;
  hear(message: ToExecutor): void;
  /** Says again what was not answered. */
  repeat(task: ServedTask): void;
  end(served: Served, ending: Ending): void;
  /** Its server is gone. */
  giveUp(task: ServedTask): void;
}

/** A thread that could not be used may be usable then. */
const noThreadMs = 1_000;

export function servedTasks({ threads, tell, changed }: ServedTasksParts): ServedTasks {
  const held = new Map<string, ServedTask>();

  function answer(task: ServedTask, may: boolean): void {
    task.leave?.(may);
    task.leave = null;
    task.taken();
  }

  function refuse(task: ServedTask): void {
    task.dropped = true;
    answer(task, false);
  }

  async function ask(task: ServedTask): Promise<void> {
    const { served } = task;
    // A server that lives, and had no connection for a moment, puts it into the queue again.
    if ((await tell(served.server, { type: "asked", hold: holdOf(served) })) === false) refuse(task);
  }

  function end(served: Served, ending: Ending): void {
    const task = held.get(keyOf(served));
    if (task === undefined || task.ending !== null) return;
    task.ending = ending;
    task.taken();
    if (task.dropped) held.delete(keyOf(served));
    else repeat(task);
    changed();
  }

  function repeat(task: ServedTask): void {
    const { served, ending } = task;
    if (task.leave !== null) void ask(task);
    if (ending !== null) void tell(served.server, { type: "ended", hold: holdOf(served), ending });
  }

  function abort(task: ServedTask, reason: string): void {
    if (task.aborted || task.ending !== null) return;
    task.aborted = true;
    threads.abort(task.served, reason);
    answer(task, false);
  }

  function forget({ served }: ServedTask): void {
    held.delete(keyOf(served));
    changed();
  }

  return {
    reports: reportsOf(held, { tell, ask, end }),
    all: () => [...held.values()],
    async take({ server, assignment }) {
      const served: Served = { ...assignment, server };
      // RabbitMQ has told it twice.
      if (held.has(keyOf(served))) return;
      const { promise, resolve: taken } = Promise.withResolvers<void>();
      held.set(keyOf(served), { served, leave: null, taken, ending: null, aborted: false, dropped: false });
      const [accepted] = await threads.dispatch([served]);
      if (accepted !== true) end(served, { type: "later", delayMs: noThreadMs, checkpoint: null });
      await promise;
    },
    hear(message) {
      const task = held.get(keyOf({ ...message.hold, server: message.server }));
      if (task === undefined) return;
      if (message.type === "heard") forget(task);
      else if (message.type === "abort") abort(task, message.reason);
      else if (message.may) answer(task, true);
      else refuse(task);
    },
    ...{ repeat, end },
    giveUp(task) {
      refuse(task);
      abort(task, "The server is gone");
      if (task.ending !== null) forget(task);
    },
  };
}

interface ReportParts extends Pick<ServedTasksParts, "tell">, Pick<ServedTasks, "end"> {
  ask(task: ServedTask): Promise<void>;
}

/** Threads hand back what they were given, so each hold says whose it is. */
function reportsOf(held: ReadonlyMap<string, ServedTask>, { tell, ask, end }: ReportParts): Reports {
  return {
    started: (hold) =>
      new Promise((resolve) => {
        const task = held.get(keyOf(hold as Served));
        if (task === undefined || task.dropped || task.aborted) return resolve(false);
        task.leave = resolve;
        void ask(task);
      }),
    progressed: (hold, progress) => {
      void tell((hold as Served).server, { type: "progressed", hold: holdOf(hold), progress });
    },
    logged: (hold, lines) => void tell((hold as Served).server, { type: "logged", hold: holdOf(hold), lines }),
    ended: (hold, ending) => end(hold as Served, ending),
    placed() {},
  };
}

function keyOf({ server, task, attempt }: Hold & Pick<Served, "server">): string {
  return `${server} ${task} ${attempt}`;
}
