// What handlers tell while they work: lines for people, and events that they name themselves.

import { type Principal, requireWrite } from "../../core/access.ts";
import type { Proof } from "../../core/lease.ts";
import { isWanted, type LogLevel } from "../../core/log-level.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Coworkers } from "./coworkers.ts";
import type { Holders } from "./holders.ts";
import type { TaskDesk } from "./task-desk.ts";

export interface LogDesk {
  /**
   * By whoever holds the task. Events of its messages, whose names begin with `child.`, come from those who do that work:
   * they hold nothing, and need not.
   */
  log(who: Principal, id: string, lines: readonly LogEntry[], proof: Proof): Promise<void>;
}

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly at: number;
  readonly event?: string;
  /** JSON text of an object. */
  readonly fields?: string;
}

export interface LogDeskParts {
  readonly operations: Pick<Operations, "records" | "heardOf">;
  readonly tasks: TaskDesk;
  readonly holders: Holders;
  readonly coworkers: Coworkers;
}

export function logDesk({ store }: Pick<Surroundings, "store">, parts: LogDeskParts): LogDesk {
  const { operations, tasks, holders, coworkers } = parts;

  /** Which attempt the lines belong to, and which of them are wanted. */
  async function placeOf(who: Principal, id: string, lines: readonly LogEntry[], proof: Proof) {
    if (proof.attempt === undefined && proof.leaseToken === undefined && lines.every(isOfMessage)) {
      const { logs } = await coworkers.card(who, id);
      const [task] = await store.read("tasks", { ids: [id] });
      return { logs, attempt: task?.row.attempt ?? 0 };
    }
    const task = await tasks.record(who, id);
    requireWrite(who);
    const { attempt } = await holders.holder(who, task, proof);
    return { logs: task.card.logs, attempt };
  }

  return {
    async log(who, id, lines, proof) {
      const { logs, attempt } = await placeOf(who, id, lines, proof);
      const wanted = lines.filter(({ level }) => isWanted(level, logs));
      if (wanted.length > 0) await operations.records.log(wanted.map((line) => ({ task: id, attempt, ...line })));
      if (lines.some(({ event }) => event !== undefined)) await operations.heardOf(id);
    },
  };
}

function isOfMessage({ event }: LogEntry): boolean {
  return event?.startsWith("child.") === true;
}
