// Whether payloads look as their jobs say, many at once.

import { type FieldError, Problem } from "../../core/problem.ts";
import type { JobRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";

/** JSON text, and the same read. */
export interface Payload {
  readonly payload: string;
  readonly read: unknown;
}

/** So many are told of all payloads of one request together; then the rest is not looked at. */
const faultsMax = 20;

/** A payload of this length may take the work of a whole check, however many come with it. */
const fullShareLength = 2 ** 21;

export function payloadChecks(schemas: Schemas) {
  function faults({ spec }: JobRecord, { payload, read }: Payload, pointer: string, among: number): FieldError[] {
    const errors = schemas.validator(spec.schema)(read, Math.min(1, 1 / among + payload.length / fullShareLength));
    return errors.map((error) => ({ ...error, pointer: `${pointer}/payload${error.pointer}` }));
  }

  /** Throws where one does not fit its job. `pointer` says where in the request the nth stands. */
  return (jobs: readonly JobRecord[], payloads: readonly Payload[], pointer: (nth: number) => string): void => {
    const errors: FieldError[] = [];
    for (const [nth, job] of jobs.entries()) {
      if (errors.length >= faultsMax) break;
      errors.push(...faults(job, payloads[nth] as Payload, pointer(nth), payloads.length));
    }
    if (errors.length > 0)
      throw new Problem("invalid-request", "A payload does not match its job's schema", { errors });
  };
}
