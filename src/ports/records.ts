// What stores keep. Times are milliseconds since 1970; payloads, results and details are JSON text as it came in.

import type { Role } from "../core/access.ts";
import type { Labels, Lane, LaneKey } from "../core/lane.ts";
import type { ProfileName, Session } from "../core/liveness.ts";
import type { Orders } from "../core/orders.ts";
import type { Policy } from "../core/policy.ts";
import type { TokenKind } from "../core/session.ts";
import type { TaskEvent } from "../core/task-event.ts";
import type { Outcome, TaskRow } from "../core/task-row.ts";

/** What never changes about a task. Job, queue and labels are its lane's. */
export interface TaskCard {
  readonly id: string;
  readonly lane: number;
  readonly room: string;
  readonly priority: number;
  readonly policy: Policy;
  readonly parent: string | null;
  readonly retryOf: string | null;
  readonly submitter: string | null;
  /** The checksum of the spec it was made for; for display. */
  readonly checksum: string;
  /** The level of logs asked for, or null for none. */
  readonly logs: string | null;
  readonly createdAt: number;
}

/** A task as it is inserted, with its first event. */
export interface NewTask {
  readonly card: TaskCard;
  readonly payload: string;
  readonly runAt: number | null;
}

/** An open task, without its payload. */
export interface OpenTask {
  readonly card: TaskCard;
  readonly row: TaskRow;
}

/** An open task in a worker's hands, with everything the worker needs. */
export interface ClaimedTask extends OpenTask {
  readonly payload: string;
}

/** Any task, open or final. */
export interface TaskRecord extends ClaimedTask {
  readonly outcome: Outcome | null;
}

/** One task's change: the row after one or more moves, and their events. Held back unless the version still stands. */
export interface TaskWrite {
  readonly expected: number;
  /** Its lease is kept where the stored one is later and the hands are the same: see laterLease in core/lease.ts. */
  readonly next: TaskRow;
  readonly outcome: Outcome | null;
  /** Empty when only deadlines change, or when it was last active: that is no move. */
  readonly events: readonly TaskEvent[];
}

export interface Spec {
  /** JSON text. */
  readonly schema: string;
  /** JSON text, or null when any result will do. */
  readonly output: string | null;
  readonly queue: string | null;
  /** What workers must carry for every one of its tasks; null where it asks for nothing. */
  readonly labels: Labels | null;
  readonly policy: Policy | null;
  /** JSON text of a webhook's settings, or null for jobs that workers claim. */
  readonly push: string | null;
}

/** Where a job came from: only what workers registered goes when the last of them goes. */
export type JobSource = "worker" | "explicit" | "internal";

/** A job as it is kept. */
export interface JobRecord {
  readonly name: string;
  readonly id: string;
  readonly room: string;
  readonly spec: Spec;
  readonly checksum: string;
  /** Since when this checksum is the status quo. */
  readonly checksumAt: number;
  readonly source: JobSource;
  readonly deleted: boolean;
  readonly createdAt: number;
  /** Raised with every change; submits compare it. */
  readonly revision: number;
}

/** A job under its lock, with what decides about its life. */
export interface JobView {
  readonly job: JobRecord;
  readonly workers: number;
  readonly pending: boolean;
}

/** A worker as it is kept, with its links and its session. */
export interface WorkerRecord {
  readonly id: string;
  readonly profile: ProfileName;
  readonly owner: string | null;
  readonly name: string | null;
  readonly hostname: string | null;
  readonly os: string | null;
  /** JSON text of whatever else the worker says about itself. */
  readonly about: string | null;
  /** Null: every queue. */
  readonly queues: readonly string[] | null;
  readonly labels: Labels;
  /** Job name to the checksum it announced; null where it announced none. */
  readonly jobs: ReadonlyMap<string, string | null>;
  readonly paused: boolean;
  readonly draining: boolean;
  readonly orders: Orders;
  readonly createdAt: number;
  readonly session: Session;
  /** JSON text of how it said it was, with a beat that was written; see engine/desks/conditions.ts. */
  readonly status: string | null;
}

/** A worker that answers questions, under a full name of its own. */
export interface ProviderRecord {
  readonly id: string;
  /** Full name; no two have the same. */
  readonly name: string;
  readonly room: string;
  /** JSON text. */
  readonly schema: string;
  /** Of what it answers. */
  readonly contentType: string;
  readonly worker: string;
  readonly owner: string;
  readonly createdAt: number;
}

export interface WorkerEvent {
  readonly worker: string;
  readonly at: number;
  readonly type: string;
  readonly data: string | null;
}

export interface LogLine {
  readonly task: string;
  readonly attempt: number;
  readonly at: number;
  readonly level: string;
  readonly message: string;
  /** What a handler calls that which happened; absent from a plain line. */
  readonly event?: string;
  /** JSON text of an object. */
  readonly fields?: string;
}

/** A task that a message broker has a message for, or is to have one. */
export interface Message {
  readonly task: string;
  readonly version: number;
}

/** A late result: refused, but in the history. */
export interface Refusal {
  readonly task: string;
  readonly at: number;
  readonly attempt: number | null;
  readonly worker: string | null;
  readonly data: string | null;
}

/** An effect that must follow a commit, kept until it has happened. */
export interface OutboxItem {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly data: string | null;
  /** Since when it is due. */
  readonly at: number;
}

export interface IdempotencyKey {
  /** User and route. */
  readonly scope: string;
  readonly key: string;
  readonly bodyHash: string;
  /** JSON text: the first answer, or what it can be made from. */
  readonly answer: string;
  readonly at: number;
}

/**
 * An API token, the session of somebody who signed in with a browser, or a code that becomes a session once. The secret
 * itself is kept nowhere: whoever shows it is known by its hash.
 */
export interface TokenRecord {
  readonly id: string;
  readonly kind: TokenKind;
  /** The token that it came from, without which it is worth nothing; null where it stands for itself. */
  readonly parent: string | null;
  /** SHA-256 of the whole token, in hex. No two tokens have the same. */
  readonly hash: string;
  /** What it is for, in the words of who made it. */
  readonly name: string | null;
  readonly user: string;
  readonly role: Role;
  /** Null: every room, every job. */
  readonly rooms: readonly string[] | null;
  readonly jobs: readonly string[] | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** What somebody did to the fleet or to tasks, and why. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  /** The user, and the id of the token that was shown; null where there is none. */
  readonly actor: string;
  readonly token: string | null;
  /** As in `worker.pause`. */
  readonly action: string;
  /** What it was done to: a task, a worker, a job, a queue, … */
  readonly kind: string;
  readonly target: string;
  /** In the words of who did it. */
  readonly note: string | null;
  /** JSON text. */
  readonly data: string | null;
}

/** Something a worker is told to do. It is kept until the worker has said what became of it, or it has expired. */
export interface CommandRecord {
  readonly id: string;
  readonly worker: string;
  readonly type: string;
  /** JSON text. */
  readonly args: string | null;
  readonly by: string;
  readonly note: string | null;
  readonly at: number;
  readonly expiresAt: number | null;
  /** When it was first sent to the worker. */
  readonly deliveredAt: number | null;
  readonly ackedAt: number | null;
  /** What the worker said of it, as JSON text. */
  readonly answer: string | null;
}

export interface NodeRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly seenAt: number;
  readonly version: string;
  readonly address: string | null;
  /** The database's clock minus the machine's, as the server itself has measured it. */
  readonly skewMs: number;
  /** What it says of its load, as JSON; servers of other versions may say more or less. Null: nothing yet. */
  readonly load: string | null;
}

export type { Lane, LaneKey };
