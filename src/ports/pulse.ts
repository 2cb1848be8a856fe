// What a server says of itself each second, and what the database tells it in return.

import type { NodeRecord } from "./records.ts";

export interface PulseRequest {
  readonly node: Omit<NodeRecord, "seenAt">;
  /** Our clock; a store with a clock of its own answers with that. */
  readonly now: number;
  readonly leaseMs: number;
  /** Nobody's silence is foretold for whom so much listening is not enough (listenMs): it may not be judged yet. */
  readonly heardMs: number;
  /** False when the server is leaving: it gives up its row and its leadership. */
  readonly staying: boolean;
}

export interface Pulse {
  /** The database's clock. */
  readonly now: number;
  readonly leader: boolean;
  /** Seen within the lease, by id; this one too. */
  readonly nodes: readonly NodeRecord[];
  /** Lanes with ready tasks, ascending. */
  readonly lanes: readonly number[];
  /** When the next delayed task becomes ready, the next deadline passes, the next session changes (nextChangeAt). */
  readonly nextRunAt: number | null;
  readonly nextDueAt: number | null;
  readonly nextLostAt: number | null;
  /** Raised by every change of jobs, lanes or workers. */
  readonly catalog: number;
  /** Whether an item of the outbox is due. */
  readonly outbox: boolean;
}

export interface Promoted {
  readonly count: number;
  /** Distinct, ascending. */
  readonly lanes: readonly number[];
  /** Their ids, ascending. */
  readonly tasks: readonly string[];
}
