import type { Promoted } from "../../ports/pulse.ts";
import { type Memory, replaceRow } from "./memory.ts";
import { firstFew } from "./sorted-list.ts";

export function promote(memory: Memory, now: number, limit: number): Promoted {
  const due = firstFew(memory.delayed, limit).filter((entry) => (entry.row.runAt as number) <= now);
  for (const entry of due) replaceRow(memory, entry, { ...entry.row, runAt: null });
  const lanes = [...new Set(due.map((entry) => entry.card.lane))].sort((a, b) => a - b);
  return { count: due.length, lanes, tasks: due.map((entry) => entry.card.id).sort() };
}
