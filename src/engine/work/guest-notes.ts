// What the history of a connected worker says of it: that it announces another spec than is registered, once for each
// change; that it takes nothing more, or does again; that it does not hear us, or does again.

import { specJob } from "../../core/name.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import type { Conditions } from "../desks/conditions.ts";
import type { SpecVerdict, WorkRegistration } from "../desks/work-desk.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { WorkerNotes } from "./worker-notes.ts";

export interface GuestNotesParts extends Pick<WorkerNotes, "note"> {
  readonly operations: Pick<Operations, "catalog" | "workers">;
  readonly conditions: Pick<Conditions, "setDeaf">;
  readonly worker: string;
}

export interface GuestNotes {
  /** Which specs its history says are others than the registered ones is told by `known`. */
  mismatches(words: WorkRegistration, verdicts: readonly SpecVerdict[], known: ReadonlySet<string>): void;
  changed(what: "draining" | "active" | "deaf" | "hearing"): void;
}

export function guestNotes({ log }: Pick<Surroundings, "log">, parts: GuestNotesParts): GuestNotes {
  const { note, operations, conditions, worker } = parts;

  function drains(draining: boolean): void {
    // Where somebody told it to, that is known already.
    if (operations.catalog.worker(worker)?.draining === draining) return;
    if (draining) note("worker.draining");
    else note("worker.resumed", { after: "draining" });
    operations.workers
      .change(worker, { draining })
      .catch((error: unknown) => log.warn("a worker's state could not be written", { worker, error }));
  }

  return {
    mismatches({ specs }, verdicts, known) {
      const announced = new Map(specs.map(({ id, checksum }) => [id, checksum]));
      for (const id of mismatched(verdicts)) {
        if (known.has(id)) continue;
        const registered = verdicts.find((verdict) => verdict.id === id)?.checksum ?? null;
        note("worker.spec_mismatch", { spec: id, announced: announced.get(id) ?? null, registered });
      }
    },
    changed(what) {
      if (what === "draining" || what === "active") return drains(what === "draining");
      conditions.setDeaf(worker, what === "deaf");
      if (what === "deaf") note("worker.deaf");
      else note("worker.online", { after: "deaf" });
    },
  };
}

export function mismatched(verdicts: readonly SpecVerdict[]): ReadonlySet<string> {
  return new Set(verdicts.filter(({ reason }) => reason === "checksum").map(({ id }) => id));
}

/** What a worker that comes back announced as it does now, when what is registered was so already, was told of then. */
export function mismatchedBefore(
  catalog: Operations["catalog"],
  { specs }: WorkRegistration,
  former: WorkerRecord | null,
): ReadonlySet<string> {
  if (former === null) return new Set();
  const isOld = ({ id, checksum }: WorkRegistration["specs"][number]): boolean => {
    const job = specJob(id);
    const since = catalog.job(job)?.checksumAt ?? Number.POSITIVE_INFINITY;
    return former.jobs.get(job) === checksum && since <= former.session.seenAt;
  };
  return new Set(specs.filter(isOld).map(({ id }) => id));
}
