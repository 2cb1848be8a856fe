// Function blocks, the jobs of the fleet's document, and its words for what becomes of a task.

import { fullName, globalRoom, parseJobName } from "./name.ts";
import { badField } from "./problem.ts";
import type { FinalState, Outcome, TaskRow, TaskState } from "./task-row.ts";

export const fbTypes = ["facts", "configure", "check", "execute", "none"] as const;
export type FbType = (typeof fbTypes)[number];

export const blockJobTypes = ["ACQUIRE", "EXECUTE", "ROLLBACK"] as const;
export type BlockJobType = (typeof blockJobTypes)[number];

export const blockStatuses = ["pending", "polled", "pushed", "failed"] as const;
export type BlockStatus = (typeof blockStatuses)[number];

export const failureReasons = ["WORKER_OFFLINE", "STUCK_JOB_TIMEOUT", "WORKER_DELETED", "CANCELLED"] as const;
export type FailureReason = (typeof failureReasons)[number];

export interface BlockName {
  readonly package: string;
  readonly name: string;
  readonly version: string;
}

const category = "blocks";

/** `package/name:version`. */
export function blockId({ package: owner, name, version }: BlockName): string {
  return `${owner}/${name}:${version}`;
}

/** Throws unless its id can be taken apart again. */
export function checkBlockName({ package: owner, name, version }: BlockName): void {
  if (owner === "" || owner.includes(":")) throw badField("/package", "must not be empty, nor hold a colon");
  if (name === "" || /[/:]/.test(name)) throw badField("/name", "must not be empty, nor hold a slash or a colon");
  if (version === "" || /[/:]/.test(version)) {
    throw badField("/version", "must not be empty, nor hold a slash or a colon");
  }
}

/** The job that a block is, by its id. */
export function blockJob(id: string): string {
  return fullName({ room: globalRoom, category, name: id });
}

/** The id of the block that a job is; null where it is none. */
export function blockOf(job: string): string | null {
  const { room, category: given, name } = parseJobName(job);
  return room === globalRoom && given === category ? name : null;
}

/** A version has no colon, and neither a name nor a version has a slash: the parts can be told from the ends. */
export function blockName(id: string): BlockName {
  const colon = id.lastIndexOf(":");
  const [path, version] = colon < 0 ? [id, ""] : [id.slice(0, colon), id.slice(colon + 1)];
  const slash = path.lastIndexOf("/");
  return { package: slash < 0 ? "" : path.slice(0, slash), name: path.slice(slash + 1), version };
}

/** Which of our states a status may be. */
export const statesOf = {
  pending: ["pending"],
  polled: ["claimed", "running"],
  pushed: ["completed", "failed"],
  failed: ["failed", "cancelled"],
} as const satisfies Record<BlockStatus, readonly TaskState[]>;

/** What a worker told, well or ill, was pushed; failed is what the server made an end of. */
export function blockStatus(row: Pick<TaskRow, "state" | "losses">, outcome: Outcome | null): BlockStatus {
  if (row.state === "pending") return "pending";
  if (outcome === null) return "polled";
  return failureReason(row, outcome) === null ? "pushed" : "failed";
}

/** The documents' reason for each code by which the server itself ends a task. */
const reasons: Readonly<Record<string, FailureReason>> = {
  WORKER_DELETED: "WORKER_DELETED",
  WORKER_OFFLINE: "WORKER_OFFLINE",
  worker_lost: "WORKER_OFFLINE",
  lease_expired: "WORKER_OFFLINE",
  STUCK_JOB_TIMEOUT: "STUCK_JOB_TIMEOUT",
  INTERNAL_WORKER_TIMEOUT: "STUCK_JOB_TIMEOUT",
  JobTimeout: "STUCK_JOB_TIMEOUT",
};

export function failureReason({ losses }: Pick<TaskRow, "losses">, { state, error }: Outcome): FailureReason | null {
  const ended: Readonly<Record<FinalState, FailureReason | null>> = {
    completed: null,
    cancelled: "CANCELLED",
    failed: reasons[error?.code ?? ""] ?? null,
  };
  const reason = ended[state];
  // A worker may use the same word for a failure of its own, but then nothing was lost.
  const isLoss = reason === "WORKER_OFFLINE" || reason === "WORKER_DELETED";
  return isLoss && losses === 0 ? null : reason;
}
