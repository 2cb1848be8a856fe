// What became of the last attempt of a task that waits for the next one, as its history tells it.

import type { TaskRecord } from "../../ports/records.ts";
import { payloadRefused } from "../fitness.ts";
import type { Surroundings } from "../surroundings.ts";

export interface LastAttempt {
  /** Whether its payload was refused by what is registered. */
  readonly refused: boolean;
  readonly error: string | null;
  readonly code: string | null;
  /** Why it was given back; null where it was not. */
  readonly reason: string | null;
}

const none: LastAttempt = { refused: false, error: null, code: null, reason: null };

export function lastAttempts({ store }: Pick<Surroundings, "store">) {
  return async function lastAttempt({ card, row }: TaskRecord): Promise<LastAttempt> {
    if (row.attempt === 0) return none;
    const { items } = await store.read("events", { task: card.id, limit: 1, offset: row.version - 1 });
    const [last] = items;
    if (last === undefined || last.data === null) return none;
    const { reason = null, error = null, code = null } = JSON.parse(last.data) as Partial<LastAttempt>;
    if (last.type === "task.released") return { ...none, refused: reason === payloadRefused, reason };
    return last.type === "task.retried" ? { ...none, error, code } : none;
  };
}
