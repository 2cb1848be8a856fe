// The note in the outbox that makes a cancel reach the task's children, whatever happens in between.

import type { OutboxItem } from "../ports/records.ts";
import type { Surroundings } from "./surroundings.ts";

export const cascadeKind = "cascade";

export function cascadeNote({ ids, clock }: Pick<Surroundings, "ids" | "clock">, cancelled: string): OutboxItem {
  return { id: ids.next(), kind: cascadeKind, key: cancelled, data: null, at: clock.now() };
}
