// Folds every history again and compares it with its row. What it finds should be nothing, ever.

import { historyFault } from "../core/history.ts";
import { isFinal } from "../core/task-row.ts";
import type { Store } from "../ports/store.ts";
import type { HistoryRecord } from "../ports/store-reads.ts";

export interface HistoryFault {
  readonly task: string;
  readonly fault: string;
}

/** What was looked at, and what was wrong with it. */
export interface Verification {
  readonly tasks: number;
  readonly events: number;
  readonly faults: readonly HistoryFault[];
}

export interface VerifyOptions {
  readonly faultsMax?: number;
  readonly onPage?: (tasks: number) => void;
}

const pageSize = 500;

export async function verify(store: Pick<Store, "read">, options: VerifyOptions = {}): Promise<Verification> {
  const { faultsMax = 1_000, onPage } = options;
  const faults: HistoryFault[] = [];
  let tasks = 0;
  let events = 0;
  for (let after: string | null = null; ; ) {
    const page: readonly HistoryRecord[] = await store.read("histories", { after, limit: pageSize });
    for (const record of page) {
      const fault = faultOf(record);
      if (fault !== null && faults.length < faultsMax) faults.push({ task: record.task.card.id, fault });
      events += record.events.length;
    }
    tasks += page.length;
    onPage?.(tasks);
    if (page.length < pageSize) return { tasks, events, faults };
    after = (page.at(-1) as HistoryRecord).task.card.id;
  }
}

function faultOf({ task, events }: HistoryRecord): string | null {
  const { state, version, attempt, failures, losses, worker, startedAt } = task.row;
  if (isFinal(state) !== (task.outcome !== null)) return `is ${state} but its outcome says otherwise`;
  if (task.outcome !== null && task.outcome.state !== state)
    return `ended ${task.outcome.state}, its row says ${state}`;
  return historyFault(events, { state, version, attempt, failures, losses, worker, startedAt });
}
