// The attempts of a task, side by side: who had it, how long it waited and ran, and how that ended.

import type { Tone } from "../../parts/tone.ts";
import { dataOf, progressText, saidIn, type TaskEvent, timeIn } from "./history.ts";

export interface Attempt {
  readonly number: number;
  readonly worker: string | null;
  readonly waitedMs: number;
  readonly claimedAt: string;
  readonly startedAt: string | null;
  /** Null: it goes on. */
  readonly endedAt: string | null;
  readonly ending: { readonly text: string; readonly tone: Tone } | null;
  readonly error: string | null;
  readonly progress: string | null;
}

const endings: Readonly<Record<string, { readonly text: string; readonly tone: Tone }>> = {
  "task.completed": { text: "completed", tone: "completed" },
  "task.failed": { text: "failed", tone: "failed" },
  "task.retried": { text: "failed", tone: "failed" },
  "task.released": { text: "given back", tone: "pending" },
  "task.lost": { text: "lost", tone: "warning" },
  "task.timed_out": { text: "timed out", tone: "failed" },
  "task.cancelled": { text: "cancelled", tone: "cancelled" },
};

export function attemptsOf(events: readonly TaskEvent[]): readonly Attempt[] {
  const attempts: Attempt[] = [];
  let readyAt = Date.parse(events[0]?.at ?? "");
  const change = (part: Partial<Attempt>) => {
    const last = attempts.at(-1);
    if (last !== undefined && last.endedAt === null) attempts[attempts.length - 1] = { ...last, ...part };
  };
  for (const event of events) {
    const { at, type } = event;
    const data = dataOf(event);
    if (type === "task.claimed" || type === "task.assigned") {
      attempts.push(begun(event, Math.max(0, Date.parse(at) - readyAt)));
    } else if (type === "task.started") change({ startedAt: at });
    else if (type === "task.progressed") change({ progress: progressText(data) });
    const closes = type === "task.counted" && (event.status === "completed" || event.status === "failed");
    const ending = closes ? endings[`task.${event.status}`] : endings[type];
    if (ending === undefined) continue;
    change({ endedAt: at, ending, error: saidIn(data, "error") ?? saidIn(data, "reason") });
    readyAt = timeIn(data, "runAt") ?? Date.parse(at);
  }
  return attempts;
}

function begun({ at, type, attempt, worker_id }: TaskEvent, waitedMs: number): Attempt {
  return {
    ...{ number: attempt ?? 0, worker: worker_id, waitedMs, claimedAt: at },
    ...{ startedAt: type === "task.assigned" ? at : null, endedAt: null, ending: null, error: null, progress: null },
  };
}
