// What an act on many tasks is asked about before, and says of itself after.

import { count, plural } from "../../parts/text.ts";
import type { Act, TaskCount } from "./task-item.ts";

export type Verb = Act["act"];
export type Counted = Pick<TaskCount, "count" | "exact">;

const verbs = { cancel: "Cancel", retry: "Retry" } as const satisfies Record<Verb, string>;

/** As in `Cancel 2 of 5 tasks`. `own`: those that are his to act on, where not all are. */
export function actTitle(act: Verb, all: Counted, own: Counted | null): string {
  const tasks = `${all.exact ? "" : "more than "}${plural(all.count, "task")}`;
  if (own === null || isSame(own, all)) return `${verbs[act]} ${tasks}`;
  return `${verbs[act]} ${own.exact ? "" : "more than "}${count(own.count)} of ${tasks}`;
}

export function isSame(one: Counted, other: Counted): boolean {
  return one.exact && other.exact && one.count === other.count;
}

const reasons = {
  forbidden: "not permitted",
  over: "over already",
  open: "not over yet",
  retried: "retried already",
  gone: "not there any more",
} as const satisfies Record<keyof Act["skips"], string>;

/** What became of the tasks so far, and why some were left out. */
export function actProgress({
  done,
  skipped,
  skips,
  failed,
}: Pick<Act, "done" | "skipped" | "skips" | "failed">): string {
  const why = Object.entries(reasons).filter(([reason]) => skips[reason as keyof typeof reasons] > 0);
  const told = why.map(([reason, words]) =>
    why.length === 1 ? words : `${skips[reason as keyof typeof reasons]} ${words}`,
  );
  const sayings = [
    `${done} done`,
    skipped > 0 && `${skipped} left out${told.length === 0 ? "" : ` (${told.join(", ")})`}`,
    failed > 0 && plural(failed, "refusal"),
  ];
  return sayings.filter(Boolean).join(", ");
}
