// What a server does every second about the assignments it has out: an executor may be gone, a message may be lost.

import type { Ending } from "../../core/internal-job.ts";
import type { Reports } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { assignmentQueue } from "../../protocol/internal/amqp.ts";
import type { Crew } from "./crew.ts";
import { type Out, type Outgoing, untried } from "./outgoing.ts";
import type { RabbitWire } from "./rabbit-wire.ts";

export interface LookingParts {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "debug">;
  readonly wire: Pick<RabbitWire, "upSince" | "depth">;
  readonly executors: Crew;
  readonly outs: Outgoing;
  readonly version: string;
  readonly reports: Pick<Reports, "placed">;
  put(out: Out): Promise<boolean>;
  abort(out: Out, reason: string): void;
  finish(out: Out, ending: Ending): void;
}

const lookMs = 1_000;
/** A fifth of the time after which a silent executor is gone: who looks later than this has not listened meanwhile. */
const lateMs = 1_000;
/** What nobody has asked for by then, with an empty queue, was lost on its way. */
const unaskedMs = 5_000;
/** What its executor has not spoken of for so long, though it could be heard, it has given up. */
const unheldMs = 15_000;

export function lookingAfter(parts: LookingParts): { stop(): void } {
  const { clock, log, wire, executors, outs, version, reports, put, abort, finish } = parts;
  let silence = (): void => {};
  let stopped = false;
  let awakeSince = clock.now();

  function lookForExecutors(heardSince: number): void {
    const gone = executors.silent(heardSince);
    if (gone.length === 0) return;
    log.warn("executors of internal jobs are gone", { executors: gone });
    for (const out of outs.all()) {
      if (out.executor !== null && gone.includes(out.executor)) finish(out, { type: "lost" });
    }
    reports.placed();
  }

  /** An executor that found no server for a while drops what it had, and lives on. */
  function lookForGivenUp(heardSince: number): void {
    const before = clock.now() - unheldMs;
    for (const out of outs.all()) {
      if (out.executor === null || Math.max(out.heldAt, heardSince) > before) continue;
      log.warn("an executor has given up an internal task", { executor: out.executor, task: out.assignment.task });
      finish(out, { type: "lost" });
    }
  }

  async function lookForLost(): Promise<void> {
    const now = clock.now();
    const unasked = outs.all().filter(({ executor, sentAt }) => executor === null && now - sentAt >= unaskedMs);
    if (unasked.length === 0) return;
    // With nobody to run it, it is for whoever can: another server, or this one later.
    if (executors.places(version) === 0) for (const out of unasked) finish(out, untried);
    else if ((await wire.depth(assignmentQueue(version))) === 0) await Promise.all(unasked.map(putAgain));
  }

  async function putAgain(out: Out): Promise<void> {
    if (outs.get(out.assignment) !== out || out.executor !== null) return;
    out.sentAt = clock.now();
    await put(out);
  }

  async function look(): Promise<void> {
    const upSince = wire.upSince();
    if (upSince === null) return;
    const heardSince = Math.max(upSince, awakeSince);
    lookForExecutors(heardSince);
    lookForGivenUp(heardSince);
    // Whoever was told to stop may not have heard it.
    for (const out of outs.all()) if (out.aborted !== null) abort(out, out.aborted);
    await lookForLost();
  }

  function next(): void {
    if (stopped) return;
    const at = clock.now() + lookMs;
    silence = clock.alarm(at, () => {
      // Whoever wakes from a pause sees the clock first, and hears afterwards what was said to it meanwhile.
      if (clock.now() - at > lateMs) awakeSince = clock.now();
      look()
        .catch((error) => log.warn("executors of internal jobs could not be looked after", { error }))
        .finally(next);
    });
  }

  next();
  return {
    stop() {
      stopped = true;
      silence();
    },
  };
}
