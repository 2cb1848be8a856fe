// The names that a document of worker queues has for what happens to a task. They are not stored: what is stored says
// enough to tell them.

import { nameParts } from "./name.ts";
import type { TaskEvent } from "./task-event.ts";

type Told = Pick<TaskEvent, "type" | "state" | "data">;

/** Null where the document has no word for it. */
export function documentName({ type, state, data }: Told): string | null {
  switch (type) {
    case "task.submitted":
      return "job.created";
    case "task.assigned":
    case "task.started":
      return "job.started";
    case "task.completed":
      return "job.succeeded";
    case "task.failed":
      return "job.failed";
    case "task.timed_out":
      return "job.timeout";
    case "task.cancelled":
      return "job.cancelled";
    case "task.republished":
      return "job.queue_stall_requeue";
    case "task.released":
      return releaseNames.get(reasonIn(data)) ?? null;
    case "task.lost":
      return state === "pending" ? "job.lease_expired_requeue" : "job.lease_expired";
    case "task.deferred":
      return endNames.get(state) ?? "job.dispatched";
    case "task.counted":
      return endNames.get(state) ?? null;
    case "task.claimed":
    case "task.retried":
    case "task.progressed":
      return null;
  }
}

/** A parent that its children, or its messages, have closed. */
const endNames: ReadonlyMap<string, string> = new Map([
  ["completed", "job.succeeded"],
  ["failed", "job.failed"],
]);

/** What a release is for when its worker says so; see `release` in task.ts. */
const releaseNames: ReadonlyMap<unknown, string> = new Map([
  ["retry_later", "job.retry_later"],
  ["shutdown", "job.requeued_on_shutdown"],
]);

function reasonIn(data: string | null): unknown {
  return data === null ? undefined : (JSON.parse(data) as { readonly reason?: unknown }).reason;
}

/** Of jobs that the document calls operations. */
export function isOperation(job: string): boolean {
  return nameParts(job)?.category === "operations";
}
