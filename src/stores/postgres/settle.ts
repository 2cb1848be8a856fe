// Decided writes, sent as one statement, and what became of each.

import type { ClientBase } from "pg";
import type { TaskWrite } from "../../ports/records.ts";
import type { Database } from "./database.ts";
import { type SettleRow, settleTasks, settleValuesInOrder } from "./settle-statement.ts";
import { ask } from "./statement.ts";
import { writeValues } from "./task-writes.ts";

export interface Settled {
  readonly count: number;
  wasWritten(write: TaskWrite): boolean;
  /** To be called when it is committed. */
  learn(): void;
}

export const nothingSettled: Settled = { count: 0, wasWritten: () => false, learn: () => undefined };

export async function settle({ floors }: Database, client: ClientBase, writes: readonly TaskWrite[]): Promise<Settled> {
  if (writes.length === 0) return nothingSettled;
  const values = writeValues(writes);
  const [row] = await ask<SettleRow>(client, settleTasks, settleValuesInOrder(values));
  const [count, literal] = row as SettleRow;
  const ids = literal === null ? null : new Set(literal.slice(1, -1).split(","));
  return {
    count,
    wasWritten: ({ next }) => ids === null || ids.has(next.id),
    learn() {
      // A task whose write lost was passed over by searches, and may be ready.
      if (values.givesBack || count < writes.length) floors.forget();
    },
  };
}
