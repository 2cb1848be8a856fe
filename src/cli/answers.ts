// What the server answers, as the protocol describes it.

import type { Static } from "typebox";
import type { AuditLine } from "../protocol/rest/audit-routes.ts";
import type { ExplainAnswer as Explained } from "../protocol/rest/explain-routes.ts";
import type { Job, JobSummary, Room } from "../protocol/rest/job-bodies.ts";
import type { JobVersions, PutSpec, Spec, SpecDiff } from "../protocol/rest/spec-bodies.ts";
import type { CancelAnswer, LogLine, Task, TaskEvent } from "../protocol/rest/task-bodies.ts";
import type { WorkerDetail, WorkerEvent, WorkerSummary } from "../protocol/rest/worker-bodies.ts";

export type TaskAnswer = Static<typeof Task>;
export type EventAnswer = Static<typeof TaskEvent>;
export type LogAnswer = Static<typeof LogLine>;
export type CancelledAnswer = Static<typeof CancelAnswer>;
export type JobAnswer = Static<typeof Job>;
export type JobLine = Static<typeof JobSummary>;
export type SpecAnswer = Static<typeof Spec>;
export type PutSpecAnswer = Static<typeof PutSpec>;
export type SpecDiffAnswer = Static<typeof SpecDiff>;
export type VersionsAnswer = Static<typeof JobVersions>;
export type RoomLine = Static<typeof Room>;
export type WorkerAnswer = Static<typeof WorkerDetail>;
export type ExplainAnswer = Static<typeof Explained>;
export type AuditAnswer = Static<typeof AuditLine>;
export type WorkerLine = Static<typeof WorkerSummary>;
export type WorkerEventAnswer = Static<typeof WorkerEvent>;

export interface PageAnswer<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly total_exact: boolean;
  readonly limit: number;
  readonly offset: number;
}

export const finalStatuses: readonly string[] = ["completed", "failed", "cancelled"] satisfies TaskAnswer["status"][];

export function isFinal({ status }: Pick<TaskAnswer, "status">): boolean {
  return finalStatuses.includes(status);
}

export interface NodeAnswer {
  readonly id: string;
  readonly address: string | null;
  readonly version: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly online: boolean;
  readonly leader: boolean;
  readonly clock_skew_ms: number;
  readonly load: {
    readonly connections: { readonly [K in "http" | "sockets" | "work"]: number | null };
    readonly workers: number | null;
    readonly tasks: number | null;
    readonly loop_lag_p99_ms: number | null;
    readonly cpu_percent: number | null;
    readonly memory_bytes: number | null;
  };
}
