// Tasks as JSON text. Payloads, results and details are put in as they came: nothing is read and written again.

import type { Children } from "../../core/family.ts";
import { isInternal } from "../../core/name.ts";
import type { TaskRights } from "../../core/task-rights.ts";
import type { Progress, TaskRow } from "../../core/task-row.ts";
import type { ClaimedView } from "../../engine/desks/claim-desk.ts";
import type { TaskView } from "../../engine/desks/task-views.ts";
import { isoTime } from "./time.ts";

export function taskJson(view: TaskView): string {
  return `{${members(view)}}`;
}

export function taskDetailJson(view: TaskView, may: TaskRights): string {
  return `{${members(view)},"may":${JSON.stringify(may)}}`;
}

export function claimedJson(view: ClaimedView): string {
  const lease = `"lease_token":"${view.leaseToken}","lease_until":${text(isoTime(view.leaseUntil))}`;
  return `{${members(view)},${lease},"checkpoint":${view.record.row.checkpoint ?? "null"}}`;
}

/** What runs inside the server is in no worker's hands, as far as the contract goes; who ran it is in the history. */
function members({ record, job, queue, labels, position, waiting }: TaskView): string {
  const { card, row, outcome, payload } = record;
  const words = JSON.stringify({
    id: card.id,
    job_name: job,
    room_id: card.room,
    status: row.state,
    created_at: isoTime(card.createdAt),
    started_at: isoTime(row.startedAt),
    completed_at: isoTime(outcome?.finishedAt ?? null),
    worker_id: isInternal(job) ? null : row.worker,
    error: outcome?.error?.message || null,
    queue_position: position?.position ?? null,
    queue_position_exact: position?.exact ?? null,
    waiting,
    queue,
    priority: card.priority,
    run_at: isoTime(row.runAt),
    labels,
    retry: card.policy.retry ?? null,
    timeout_seconds: card.policy.timeoutMs === undefined ? null : card.policy.timeoutMs / 1_000,
    attempt: row.attempt,
    losses: row.losses,
    parent_id: card.parent,
    retry_of: card.retryOf,
    submitter: card.submitter,
    progress: progressOf(row),
    children: childrenWords(row.children),
    error_code: outcome?.error?.code ?? null,
  });
  const details = outcome?.error?.details ?? "null";
  return `${words.slice(1, -1)},"payload":${payload},"result":${outcome?.result ?? "null"},"error_details":${details}`;
}

/** As a task shows it: of a coordinator how many of its messages were counted. */
export function progressOf({ progress, children }: TaskRow): Progress | null {
  if (children === null || children.total === null) return progress;
  return { current: children.done, total: children.total, message: progress?.message ?? null };
}

/** How long it waits for them is its deadline's affair. */
function childrenWords(children: Children | null): Omit<Children, "patience"> | null {
  if (children === null) return null;
  const { patience: _, ...words } = children;
  return words;
}

function text(value: string | null): string {
  return value === null ? "null" : `"${value}"`;
}
