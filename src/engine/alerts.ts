// What workers raise. Each alert is a line of the worker's history, told to those who watch the rooms it serves. A worker
// that raises one with every breath is heard only so often: the rest is counted, and that it is so is said.

import { type Alert, alertData, alertsPerMinuteMax, alertType } from "../core/alert.ts";
import { parseJobName } from "../core/name.ts";
import { announceAt } from "./announce.ts";
import { errorLengthMax, gist } from "./announcements.ts";
import type { Catalog } from "./catalog.ts";
import type { RecordsBeside } from "./records-beside.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Alerts {
  /** Answers once it is written, and whether it was: one too many is only counted. The caller knows the worker. */
  raise(worker: string, alert: Alert): Promise<boolean>;
}

export interface AlertParts {
  readonly catalog: Pick<Catalog, "worker">;
  readonly records: Pick<RecordsBeside, "workerEvent">;
}

interface Minute {
  readonly from: number;
  count: number;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const minutesMax = 10_000;

export function alerts(
  { bus, clock, telemetry }: Pick<Surroundings, "bus" | "clock" | "telemetry">,
  { catalog, records }: AlertParts,
): Alerts {
  /** By worker. */
  const minutes = new Map<string, Minute>();

  /** The minute that counts now, and how many of the one before were not kept. */
  function minuteOf(worker: string, now: number): { readonly minute: Minute; readonly unkept: number } {
    const known = minutes.get(worker);
    if (known !== undefined && now - known.from < minuteMs) return { minute: known, unkept: 0 };
    if (minutes.size >= minutesMax) {
      for (const [id, { from }] of minutes) if (now - from >= minuteMs) minutes.delete(id);
    }
    const minute = { from: now, count: 0 };
    minutes.set(worker, minute);
    return { minute, unkept: Math.max(0, (known?.count ?? 0) - alertsPerMinuteMax) };
  }

  async function keep(worker: string, alert: Alert, now: number): Promise<void> {
    // A clock that is far off must not put a line where nobody finds it, or where it is never removed.
    const at = Math.max(now - dayMs, Math.min(alert.at ?? now, now));
    await records.workerEvent({ worker, at, type: alertType, data: alertData(alert) });
    const rooms = [...(catalog.worker(worker)?.jobs.keys() ?? [])].map((job) => parseJobName(job).room);
    const { severity, code, message, task } = alert;
    announceAt(bus, { rooms: [...new Set(rooms)], job: null }, "worker_alert", () => ({
      ...{ worker_id: worker, severity, code: code.slice(0, errorLengthMax), message: gist(message), task_id: task },
      at: new Date(at).toISOString(),
    }));
  }

  return {
    async raise(worker, alert) {
      const now = clock.now();
      const { minute, unkept } = minuteOf(worker, now);
      minute.count += 1;
      telemetry.alerted(alert.severity, 1);
      if (unkept > 0) await keep(worker, saidToo(`${unkept} more alerts of the minute before were not kept`), now);
      if (minute.count <= alertsPerMinuteMax) {
        await keep(worker, alert, now);
        return true;
      }
      if (minute.count === alertsPerMinuteMax + 1) {
        await keep(
          worker,
          saidToo(`More than ${alertsPerMinuteMax} alerts in a minute: the others are only counted`),
          now,
        );
      }
      return false;
    },
  };
}

function saidToo(message: string): Alert {
  return { severity: "warning", code: "too-many-alerts", message, task: null, at: null };
}
