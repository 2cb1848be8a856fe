// Lines of a connected worker's history. They are written beside everything else, and nobody waits for them.

import type { Alert } from "../../core/alert.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";

export interface WorkerNotes {
  note(type: string, data?: unknown): void;
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
      const text = data === undefined ? null : JSON.stringify(data);
      records.workerEvent({ worker, at: clock.now(), type, data: text }).catch(lost);
    },
    raise: (alert) => void alerts.raise(worker, alert).catch(lost),
  };
}
