// Whether a payload would be taken, for whoever fills in a form: looked at as a submit looks at it, and nothing is kept.

import { type Principal, requireJob, requireRoomInSight } from "../../core/access.ts";
import { checkBytes } from "../../core/checks.ts";
import { isOperation } from "../../core/document-names.ts";
import { checkRoom, isInternal } from "../../core/name.ts";
import { type FieldError, Problem } from "../../core/problem.ts";
import type { Schemas } from "../../ports/schemas.ts";
import { checkTurns } from "../check-turns.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type Payload, payloadChecks } from "./payload-checks.ts";
import { runnableJobs } from "./runnable-jobs.ts";

export interface CheckDesk {
  /** What is wrong with the payload, by pointers below `/payload`; nothing if it fits. Throws whatever else a submit would. */
  faults(who: Principal, room: string, job: string, payload: Payload): Promise<readonly FieldError[]>;
}

export interface CheckDeskParts {
  readonly operations: Pick<Operations, "catalog">;
  readonly schemas: Schemas;
}

export function checkDesk(
  { settings, clock }: Pick<Surroundings, "settings" | "clock">,
  parts: CheckDeskParts,
): CheckDesk {
  const { catalog } = parts.operations;
  const { jobNamed } = runnableJobs(catalog);
  const checkPayloads = payloadChecks(parts.schemas);
  const inTurn = checkTurns({ clock });

  /** Submitting it makes it, and it takes anything then. */
  async function isUnmade(job: string): Promise<boolean> {
    if (!isOperation(job) || isInternal(job)) return false;
    if (catalog.job(job)?.deleted ?? true) await catalog.refresh();
    return catalog.job(job)?.deleted ?? true;
  }

  return {
    async faults(who, room, job, payload) {
      checkRoom(room);
      requireRoomInSight(who, room);
      requireJob(who, job);
      checkBytes("payload", payload.payload, settings.payloadBytesMax);
      if (await isUnmade(job)) return [];
      const found = await jobNamed(job);
      return inTurn(who, () => faultsOf(() => checkPayloads([found], [payload], () => "")));
    },
  };
}

function faultsOf(check: () => void): readonly FieldError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Problem && error.code === "invalid-request")) throw error;
    return error.errors;
  }
}
