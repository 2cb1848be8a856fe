// What the engine tells about itself. The adapter turns it into Prometheus metrics and OpenTelemetry spans; names and
// meanings are in docs/guides/observe.md.

import type { AlertSeverity } from "../core/alert.ts";
import type { EventType } from "../core/task-event.ts";
import type { WorkerEventType } from "../core/worker-event.ts";

export type BatchKind = "submit" | "exchange" | "amend" | "append" | "beat";

export const pushOutcomes = ["completed", "accepted", "later", "failed", "aborted"] as const;
export type PushOutcome = (typeof pushOutcomes)[number];

export interface Telemetry {
  /** Moves that were committed. */
  moved(type: EventType, count: number): void;
  /** Alerts that workers raised, kept or not. */
  alerted(severity: AlertSeverity, count: number): void;
  /** Lines of workers' histories that were written. */
  workerEvent(type: WorkerEventType, count: number): void;
  /** One commit: how many calls it carried and how long it took. */
  committed(kind: BatchKind, calls: number, ms: number): void;
  /** How late the sweeper was for the earliest thing it found. */
  sweptLate(ms: number): void;
  /** Database clock minus ours. */
  pulseSkew(ms: number): void;
  /** A request of a push job: what came of it, and how long it took. */
  pushed(outcome: PushOutcome, ms: number): void;
  /** Runs `work` inside a span. */
  span<T>(name: string, attributes: Readonly<Record<string, string | number>>, work: () => Promise<T>): Promise<T>;
}
