// What an operator tells a worker to do, and what the worker makes of it. The server has done its own part already: a
// worker that is paused or drains is given nothing, so there is nothing to remember here, and nothing to get wrong.

import type { WorkerLog } from "./options.ts";

/** As the server tells it. */
export interface ToldCommand {
  readonly id: string;
  readonly type: string;
  readonly note?: string;
  readonly until?: string | null;
  readonly deadline?: string | null;
  readonly value?: number | null;
  readonly task_id?: string;
  readonly attempt?: number;
}

/** What `Worker` tells of a command to whoever listens with `on`. */
export interface WorkerCommand {
  readonly type: "pause" | "resume" | "drain" | "concurrency" | "evict";
  /** Why, in the operator's words. */
  readonly note: string | null;
  /** Of a pause: when it ends by itself. Of a drain: when what is still in hand is taken away. */
  readonly until: Date | null;
}

export interface ObedienceParts {
  readonly log: WorkerLog;
  /** Null: as many as it was started with. */
  setConcurrency(value: number | null): void;
  /** What was not started goes back. */
  handBack(): void;
  /** This attempt is another's by now. */
  letGo(task: string, attempt: number): void;
  onCommand(command: WorkerCommand): void;
}

export interface Ack {
  readonly id: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export function obey(command: ToldCommand, parts: ObedienceParts): Ack {
  const { id, note = null } = command;
  const type = typeOf(command);
  if (type === null) return { id, ok: false, detail: `This worker does not know how to ${command.type}` };
  if (type === "concurrency") parts.setConcurrency(command.value ?? null);
  else if (type === "drain") parts.handBack();
  else if (type === "evict") parts.letGo(command.task_id ?? "", command.attempt ?? 0);
  const at = command.until ?? command.deadline ?? null;
  parts.log.info(`an operator says: ${type}`, { ...(note !== null && { note }), ...(at !== null && { until: at }) });
  parts.onCommand({ type, note, until: at === null ? null : new Date(at) });
  return { id, ok: true };
}

function typeOf({ type }: ToldCommand): WorkerCommand["type"] | null {
  switch (type) {
    case "pause":
    case "resume":
    case "drain":
    case "concurrency":
    case "evict":
      return type;
    default:
      return null;
  }
}
