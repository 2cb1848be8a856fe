// The document's thresholds of a reaper. The server alone decides by them, so that every pass decides alike: those of a
// reaper say what its owner relies on, and are compared with what the server has.

/** What a reaper's owner relies on; what is absent is as the server has it. */
export interface ReaperThresholds {
  /** Of the document as `timeout_seconds`: a task that runs longer, and is silent, has timed out. */
  readonly timeoutSeconds?: number;
  /** Of the document as `stall_seconds`: without an event for so long a task is silent. */
  readonly stallSeconds?: number;
  /** Of the document as `max_lease_requeues`: how often a task goes back whose lease has ended. */
  readonly maxLeaseRequeues?: number;
}

/** As the server says them. */
export interface ToldThresholds {
  readonly timeout_seconds?: number | null;
  readonly stall_seconds?: number | null;
  readonly max_lease_requeues?: number | null;
}

/**
 * The server decides by others than the reaper was given.
 *
 * @example
 * ```ts
 * import { OtherThresholds, StaleJobReaper } from "leadhand";
 *
 * const reaper = new StaleJobReaper({ token: "lh_…", timeoutSeconds: 7_200 });
 * await reaper.run().catch((error: unknown) => {
 *   if (error instanceof OtherThresholds) console.error(error.message);
 * });
 * ```
 */
export class OtherThresholds extends Error {
  override readonly name = "OtherThresholds";
}

const all = [
  ["timeoutSeconds", "timeout_seconds", "LEADHAND_REAPER_TIMEOUT_SECONDS"],
  ["stallSeconds", "stall_seconds", "LEADHAND_REAPER_STALL_SECONDS"],
  ["maxLeaseRequeues", "max_lease_requeues", "LEADHAND_MAX_LEASE_REQUEUES"],
] as const satisfies readonly (readonly [keyof ReaperThresholds, keyof ToldThresholds, string])[];

/** Throws where the server decides otherwise; servers that say nothing of it are taken to. */
export function compareThresholds(wanted: ReaperThresholds, told: ToldThresholds = {}): void {
  const others = all.flatMap(([name, word, setting]) => {
    const [mine, theirs = null] = [wanted[name], told[word]];
    if (mine === undefined || mine === theirs) return [];
    const said = theirs === null ? "the server does not say what it has" : `the server has ${theirs}`;
    return [`${name} is ${mine}, and ${said}: set ${setting} there`];
  });
  if (others.length > 0) throw new OtherThresholds(others.join("; "));
}
