// How often a task was told of again because nobody took it. Whoever has had it since has shown that its messages arrive, and
// a person who tells of it has seen to the reason: it counts from there.

import type { TaskEvent } from "./task-event.ts";

export interface MessageTries {
  readonly count: number;
  readonly lastAt: number;
}

export const untried: MessageTries = { count: 0, lastAt: 0 };

type Line = Pick<TaskEvent, "type" | "at" | "data">;

export function triesAfter(tries: MessageTries, { type, at, data }: Line): MessageTries {
  if (type === "task.claimed" || type === "task.assigned") return untried;
  if (type !== "task.republished") return tries;
  return isByPerson(data) ? untried : { count: tries.count + 1, lastAt: at };
}

function isByPerson(data: string | null): boolean {
  return data !== null && (JSON.parse(data) as { readonly actor?: string }).actor !== undefined;
}
