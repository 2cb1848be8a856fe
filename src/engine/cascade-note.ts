// The note in the outbox that makes a cancel reach the children of these tasks, whatever happens in between.

import type { OutboxItem } from "../ports/records.ts";
import type { Surroundings } from "./surroundings.ts";

export const cascadeKind = "cascade";

export function cascadeNote(
  { ids, clock }: Pick<Surroundings, "ids" | "clock">,
  parents: readonly string[],
): OutboxItem {
  const key = parents[0] as string;
  return { id: ids.next(), kind: cascadeKind, key, data: JSON.stringify(parents), at: clock.now() };
}

export function parentsOf(item: OutboxItem): string[] {
  return JSON.parse(item.data ?? "[]") as string[];
}
