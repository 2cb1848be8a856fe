// Why a block may have failed that was not told to. The fleet's document has two reasons, and each has to have had its cause:
// what is not excused here is a fault.

import type { TaskEvent } from "../../../src/core/task-event.ts";
import { isFinal } from "../../../src/core/task-row.ts";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import type { Crew, Span } from "./crew.ts";
import type { FaultRecord } from "./faults.ts";

export interface Witnesses {
  readonly crew: Pick<Crew, "memberOf" | "began" | "unanswered">;
  readonly faults: readonly FaultRecord[];
  /** How long a worker may be silent, and a job be held. */
  readonly windowMs: number;
  readonly stuckMs: number;
}

export type Excuse = "WORKER_OFFLINE" | "STUCK_JOB_TIMEOUT";

/** The reason it failed for, where that is true; null where nothing excuses it. Nobody deletes workers in these runs. */
export function excuseOf({ events }: HistoryRecord, witnesses: Witnesses): Excuse | null {
  const end = events.find(({ state }) => isFinal(state));
  const code = JSON.parse(end?.data ?? "{}").code;
  if (end?.type === "task.lost" && code === "WORKER_OFFLINE") return wasSilent(end, witnesses) ? code : null;
  if (end?.type !== "task.timed_out" || code !== "STUCK_JOB_TIMEOUT") return null;
  const claim = events.findLast(({ type }) => type === "task.claimed");
  if (claim === undefined || end.at - claim.at < witnesses.stuckMs) return null;
  // Servers that cannot hear postpone both ends of a silent worker's job; what is due then by either rule may have either.
  return wasNeverTold(claim, witnesses) || wasSilent(end, witnesses) ? code : null;
}

/**
 * For half of its window at least nobody could hear it. The other half is for pings that were answered and not yet written:
 * those a server takes with it.
 */
function wasSilent({ worker, at }: TaskEvent, { crew, faults, windowMs }: Witnesses): boolean {
  const member = crew.memberOf.get(worker ?? "");
  if (member === undefined) return false;
  const silences = faults.flatMap((fault): Span[] => {
    if (fault.member === member)
      return [fault.name === "kill a worker" ? { ...fault, to: Number.POSITIVE_INFINITY } : fault];
    return fault.server?.url === member.orders.url ? [fault] : [];
  });
  return coveredMs(silences, { from: at - windowMs, to: at }) >= windowMs / 2;
}

/** Its poll took it, and the answer got lost: its worker lived and pinged, and could not know. */
function wasNeverTold({ task, attempt, worker, at }: TaskEvent, { crew }: Witnesses): boolean {
  if (crew.began.has(`${task} ${attempt}`)) return false;
  return (crew.unanswered.get(worker ?? "") ?? []).some(({ from, to }) => from <= at && at <= to);
}

/** How much of a span others cover, together. */
function coveredMs(spans: readonly Span[], { from, to }: Span): number {
  let [covered, reached] = [0, from];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const begin = Math.max(span.from, reached);
    const end = Math.min(span.to, to);
    if (end <= begin) continue;
    covered += end - begin;
    reached = end;
  }
  return covered;
}
