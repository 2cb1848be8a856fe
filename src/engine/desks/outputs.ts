// Results are held against the job's `output` schema before they count.

import { Problem } from "../../core/problem.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import type { Catalog } from "../catalog.ts";

export interface Outputs {
  /** Throws when the job says how results look and this one, JSON text, does not look so. */
  check(task: Pick<TaskRecord, "card">, result: string | null): void;
}

export function outputs({ catalog, schemas }: { readonly catalog: Catalog; readonly schemas: Schemas }): Outputs {
  return {
    check({ card }, result) {
      const output = catalog.job(catalog.lane(card.lane)?.job ?? "")?.spec.output ?? null;
      if (output === null) return;
      const errors = schemas.validator(output)(result === null ? null : JSON.parse(result));
      if (errors.length === 0) return;
      const under = errors.map(({ pointer, detail }) => ({ pointer: `/result${pointer}`, detail }));
      throw new Problem("invalid-request", "The result does not match the job's output schema", { errors: under });
    },
  };
}
