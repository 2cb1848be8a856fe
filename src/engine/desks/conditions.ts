// How workers say they are, and whether they hear us. The server they speak to has it at hand; for the others it is
// written along with a beat from time to time, as JSON text.

import type { WorkerEventType } from "../../core/worker-event.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { workerNotes } from "../work/worker-notes.ts";

export interface Condition {
  readonly cpuPercent: number | null;
  readonly ramBytes: number | null;
  readonly loopLagMs: number | null;
  /** How long the worker's code had not let go of the processor when it beat. */
  readonly blockedMs: number | null;
}

/** All that is known of how a worker is. */
export interface Standing {
  /** Null where it never said. */
  readonly condition: Condition | null;
  /** It beats, and does not hear us. */
  readonly deaf: boolean;
}

export interface Conditions {
  note(worker: string, condition: Condition): void;
  /** What has changed; the rest stays. */
  change(worker: string, change: Partial<Condition>): void;
  isBlocked(worker: string): boolean;
  setDeaf(worker: string, deaf: boolean): void;
  /** By its last beat to this server, or by what another one has written since. */
  of(worker: WorkerRecord): Standing;
}

export interface ConditionParts {
  readonly operations: Pick<Operations, "catalog" | "records" | "alerts" | "heardAt" | "trailOf" | "describeBeats">;
}

const unknown: Condition = { cpuPercent: null, ramBytes: null, loopLagMs: null, blockedMs: null };

export function conditions(around: Pick<Surroundings, "clock" | "log">, { operations }: ConditionParts): Conditions {
  const { catalog, heardAt } = operations;
  const known = new Map<string, Condition>();
  const blocked = new Set<string>();
  const deaf = new Set<string>();
  const pauses = blockedEdges(
    () => around.clock.now(),
    (worker, type, data) => workerNotes(around, operations, worker).note(type, data),
  );
  catalog.onChange(({ workers }) => {
    for (const { id, session } of workers) {
      if (session.removedAt === null) continue;
      known.delete(id);
      blocked.delete(id);
      deaf.delete(id);
      pauses.forget(id);
    }
  });
  operations.describeBeats((worker) => statusText(here(worker)));

  function here(worker: string): Standing {
    return { condition: known.get(worker) ?? null, deaf: deaf.has(worker) };
  }

  function note(worker: string, condition: Condition): void {
    known.set(worker, condition);
    const blockedMs = condition.blockedMs ?? 0;
    if (blockedMs > 0) blocked.add(worker);
    else blocked.delete(worker);
    pauses.look(worker, blockedMs);
  }

  return {
    note(worker, condition) {
      note(worker, condition);
      operations.trailOf(worker)?.described(condition);
    },
    change(worker, change) {
      note(worker, { ...(known.get(worker) ?? unknown), ...change });
      operations.trailOf(worker)?.described({ ...unknown, ...change });
    },
    isBlocked: (worker) => blocked.has(worker),
    setDeaf(worker, isDeaf) {
      if (isDeaf) deaf.add(worker);
      else deaf.delete(worker);
      // That it hears again has to be said too, also of one that says nothing else.
      if (!known.has(worker)) known.set(worker, unknown);
    },
    of({ id, session, status }) {
      const isOurs = (heardAt(id) ?? 0) >= session.seenAt && (known.has(id) || deaf.has(id));
      return isOurs || status === null ? here(id) : standingOf(status);
    },
  };
}

/** Null where there is nothing to say. */
function statusText({ condition, deaf }: Standing): string | null {
  return condition === null && !deaf ? null : JSON.stringify({ ...condition, ...(deaf && { deaf }) });
}

function standingOf(status: string): Standing {
  const { deaf = false, ...said } = JSON.parse(status) as Partial<Condition> & { readonly deaf?: boolean };
  return { condition: Object.keys(said).length === 0 ? null : { ...unknown, ...said }, deaf };
}

/** A shorter pause is nothing to tell of. */
const toldFromMs = 1_000;
/** After so long without a word it was another server that heard the end of it. */
const forgottenMs = 60_000;
/** A worker that is blocked again and again is not told of with every breath. */
const restMs = 10_000;

type Tell = (worker: string, type: WorkerEventType, data: Readonly<Record<string, string | number>>) => void;

/** That a worker does not come round to anything but its code, and that it does again. */
function blockedEdges(now: () => number, tell: Tell) {
  const told = new Map<string, { isBlocked: boolean; at: number }>();
  return {
    forget: (worker: string) => void told.delete(worker),
    look(worker: string, blockedMs: number): void {
      const last = told.get(worker);
      const age = last === undefined ? Number.POSITIVE_INFINITY : now() - last.at;
      if (blockedMs < toldFromMs) {
        if (last?.isBlocked !== true) return;
        told.set(worker, { isBlocked: false, at: now() });
        tell(worker, "worker.online", { after: "blocked" });
        return;
      }
      if (last?.isBlocked === true && age < forgottenMs) last.at = now();
      else if (age >= restMs) {
        told.set(worker, { isBlocked: true, at: now() });
        tell(worker, "worker.blocked", { blocked_ms: blockedMs });
      }
    },
  };
}
