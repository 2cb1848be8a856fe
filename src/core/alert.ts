// What a worker wants people to know, apart from any task's outcome: a disk that fills up, a licence that ends.

import type { WorkerEventType } from "./worker-event.ts";

export const alertSeverities = ["info", "warning", "error", "critical"] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export interface Alert {
  readonly severity: AlertSeverity;
  readonly code: string;
  readonly message: string;
  /** The task it is about, if any. */
  readonly task: string | null;
  /** Null: now. */
  readonly at: number | null;
}

/** Alerts are lines of a worker's history, of this type. */
export const alertType = "worker.alert" satisfies WorkerEventType;

/** So many of one worker are kept in a minute; the rest is counted. */
export const alertsPerMinuteMax = 60;
export const alertCodeLengthMax = 255;
export const alertMessageLengthMax = 4_096;

/** What is kept with the line. The severity comes first: by this beginning stores find alerts of one severity. */
export function alertData({ severity, code, message, task }: Alert): string {
  return JSON.stringify({
    severity,
    code: code.slice(0, alertCodeLengthMax),
    message: message.slice(0, alertMessageLengthMax),
    task,
  });
}

/** How the data of every alert of this severity begins. */
export function alertDataOf(severity: AlertSeverity): string {
  return `{"severity":"${severity}",`;
}
