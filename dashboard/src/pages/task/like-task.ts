import type { Body } from "../../api/routes.ts";
import { count, duration } from "../../parts/text.ts";
import type { Task } from "./use-task.ts";

type Submit = Body<"POST /rooms/{room_id}/tasks/{job_name+}">;

/** What a task asks of its worker and of time, as whoever submits the same again has to say it. */
export function termsOf({
  labels,
  retry,
  timeout_seconds,
}: Task): Pick<Submit, "labels" | "retry" | "timeout_seconds"> {
  return {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(retry !== null && { retry }),
    ...(timeout_seconds !== null && { timeout_seconds }),
  };
}

/** The same for people, by name; nothing where the task asks for nothing. */
export function termWords({ labels, retry, timeout_seconds }: Task): readonly (readonly [string, string])[] {
  const names = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const attempts = retry?.maxAttempts;
  return [
    ...(names.length > 0 ? [["Labels", names.join(", ")] as const] : []),
    ...(attempts === undefined
      ? []
      : [["Tried at most", attempts === 1 ? "once" : `${count(attempts)} times`] as const]),
    ...(timeout_seconds === null ? [] : [["Time limit", duration(1_000 * timeout_seconds)] as const]),
  ];
}
