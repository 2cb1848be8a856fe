// Not more is read than is answered: five hundred payloads of the largest size would fill the memory.

import { Problem } from "../../core/problem.ts";
import type { TaskRecord } from "../../ports/records.ts";

/** How long the texts of one answer may be in all. */
const pageLengthMax = 32 * 2 ** 20;

/** Told of records as they are read; throws when they are too long for one answer. */
export function pageLength(): (records: readonly TaskRecord[]) => void {
  let length = 0;
  return (records) => {
    length += records.reduce((sum, record) => sum + lengthOf(record), 0);
    if (length <= pageLengthMax) return;
    throw new Problem("payload-too-large", "These tasks are too large for one answer: ask for fewer, with limit");
  };
}

function lengthOf({ payload, outcome }: TaskRecord): number {
  return payload.length + (outcome?.result?.length ?? 0) + (outcome?.error?.details?.length ?? 0);
}
