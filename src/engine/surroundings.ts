// The ports the engine is built on, and the settings it needs, handed to each of its parts.

import type { Profiles } from "../core/liveness.ts";
import { documentPatience } from "../core/patience.ts";
import { defaultMaxRequeues } from "../core/policy.ts";
import { type PushRules, strictPushRules } from "../core/push.ts";
import type { Bus } from "../ports/bus.ts";
import type { Clock } from "../ports/clock.ts";
import type { QueueKind } from "../ports/courier.ts";
import type { Ids } from "../ports/ids.ts";
import type { Log } from "../ports/log.ts";
import type { Random } from "../ports/random.ts";
import type { Store } from "../ports/store.ts";
import type { Telemetry } from "../ports/telemetry.ts";

export interface Surroundings {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly settings: EngineSettings;
}

export interface EngineSettings {
  readonly profiles: Profiles;
  readonly node: { readonly version: string; readonly address: string | null };
  /** Rows in one transaction. */
  readonly batchMax: number;
  readonly payloadBytesMax: number;
  /** Null: no limit. */
  readonly pendingPerJobMax: number | null;
  readonly pulseMs: number;
  readonly leaderLeaseMs: number;
  /** Differences between the database's clock and ours: worth a warning, and too large to work with. */
  readonly clockSkewWarnMs: number;
  readonly clockSkewMaxMs: number;
  /** How soon after something happened the safety nets look at what it may have left behind. */
  readonly sweepMs: number;
  /** How long a worker whose last connection is gone may be away. */
  readonly connectionGraceMs: number;
  /** An assignment that a beating worker has not seen for so long did not arrive. */
  readonly ackWithinMs: number;
  /** How many losses a task survives where neither it nor its job says so. */
  readonly maxRequeues: number;
  /** Final tasks older than this go; null keeps them. */
  readonly retentionMs: number | null;
  readonly idempotencyKeepMs: number;
  /** How long a provider's result is kept, and a question counts as on its way. */
  readonly providerResultMs: number;
  readonly providerInflightMs: number;
  /** All results together, give or take a sixteenth for each server. */
  readonly providerCacheBytesMax: number;
  /** Where tasks of push jobs may be sent. */
  readonly push: PushRules;
  /** Queues whose consumers hear of tasks by a message broker, and what its messages are; none without a broker. */
  readonly brokerQueues: ReadonlyMap<string, QueueKind>;
  /** How many messages may wait in one of them. */
  readonly unconsumedMax: number;
  /** The longest wait between two tries to tell one of them what the broker refuses. */
  readonly publishCapMs: number;
  /** How long a message of an operation may be. */
  readonly messageBytesMax: number;
  /** A task of theirs that was told of so long ago, and nobody took, is told of again, so many times. */
  readonly republishAfterMs: number;
  readonly republishMax: number;
}

export const defaultSettings: Omit<EngineSettings, "profiles" | "node"> = {
  batchMax: 1_000,
  payloadBytesMax: 1_048_576,
  pendingPerJobMax: null,
  pulseMs: 1_000,
  leaderLeaseMs: 5_000,
  clockSkewWarnMs: 500,
  clockSkewMaxMs: 2_000,
  sweepMs: 30_000,
  connectionGraceMs: 5_000,
  ackWithinMs: 2_000,
  maxRequeues: defaultMaxRequeues,
  retentionMs: null,
  idempotencyKeepMs: 24 * 3_600_000,
  providerResultMs: 300_000,
  providerInflightMs: 30_000,
  providerCacheBytesMax: 256 * 2 ** 20,
  push: strictPushRules,
  brokerQueues: new Map(),
  unconsumedMax: 10_000,
  publishCapMs: documentPatience.publish.capMs,
  messageBytesMax: 16 * 2 ** 20,
  republishAfterMs: 600_000,
  republishMax: 5,
};
