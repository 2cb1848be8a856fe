// Lines of a connected worker's history. They are written beside everything else, and nobody waits for them.

import type { Alert } from "../../core/alert.ts";
import type { Json } from "../../core/checksum.ts";
import type { WorkerEventType } from "../../core/worker-event.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { workerEvent } from "../worker-record.ts";

export interface WorkerNotes {
  note(type: WorkerEventType, data?: Json): void;
  raise(alert: Alert): void;
}

export function workerNotes(
  { clock, log }: Pick<Surroundings, "clock" | "log">,
  { records, alerts }: Pick<Operations, "records" | "alerts">,
  worker: string,
): WorkerNotes {
  const lost = (error: unknown): void =>
    log.warn("a line of a worker's history could not be written", { worker, error });
  return {
    note(type, data) {
      records.workerEvent(workerEvent(worker, clock.now(), type, data)).catch(lost);
    },
    raise: (alert) => void alerts.raise(worker, alert).catch(lost),
  };
}
