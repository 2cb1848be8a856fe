// Operations need not be registered before they are submitted: whoever submits one that is missing makes it. It takes any
// payload, until somebody says more of it.

import { type Principal, requireRoom } from "../../core/access.ts";
import { isOperation } from "../../core/document-names.ts";
import { internalRoom, parseJobName } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";

/** By full name; jobs that are no operations are left alone. */
export type MakeOperations = (who: Principal, wanted: readonly { readonly job: string }[]) => Promise<void>;

export function missingOperations(
  around: Pick<Surroundings, "ids" | "clock">,
  { jobs, catalog }: Pick<Operations, "jobs" | "catalog">,
): MakeOperations {
  const isMissing = (name: string): boolean => catalog.job(name)?.deleted ?? true;

  async function make(who: Principal, name: string): Promise<void> {
    requireRoom(who, parseJobName(name).room);
    const request = { name, schema: {}, source: "explicit", replace: false } as const;
    await jobs.register(request, ({ checksum }) =>
      auditEntry(around, who, { action: "job.register", kind: "job", target: name, data: { checksum } }),
    );
  }

  return async (who, wanted) => {
    const missing = [...new Set(wanted.map(({ job }) => job))].filter((name) => isOperation(name) && isMissing(name));
    if (missing.length === 0) return;
    // Another server may have made it a moment ago.
    await catalog.refresh();
    for (const name of missing.filter(isMissing)) {
      if (parseJobName(name).room === internalRoom) continue;
      await make(who, name).catch((error: unknown) => {
        // Somebody was faster, and said more of it.
        if (!(error instanceof Problem) || error.code !== "schema-conflict") throw error;
      });
    }
  };
}
