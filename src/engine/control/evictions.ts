// Taking tasks from a worker that lives: they go back and count against nobody. The worker is told to stop; if it does not
// hear of it, its results are refused.

import { requireOperator } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { OpenTask, WorkerRecord } from "../../ports/records.ts";
import type { Amendment, AmendView } from "../../ports/store.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Catalog } from "../catalog.ts";
import type { Leaving, LettingGo } from "../letting-go.ts";
import type { Surroundings } from "../surroundings.ts";
import { type By, newCommand } from "./command.ts";

export interface Evictions {
  /**
   * Throws task-not-found, invalid-task-transition where nobody has it, or forbidden where its holder is not his to
   * operate. Answers who had it.
   */
  evict(by: By, task: string): Promise<Evicted>;
  /** The deadline of its drain has passed. Answers how many tasks went. */
  endDrain(worker: string): Promise<number>;
}

export interface Evicted {
  readonly task: string;
  readonly attempt: number;
  readonly worker: string;
}

/** On the worker's own topic, before the task and the attempt. */
export const evictedWord = "evict ";

/** It may change hands while we look. */
const looksMax = 5;

export function evictions(
  around: Surroundings,
  { catalog, lettingGo }: { readonly catalog: Catalog; readonly lettingGo: LettingGo },
): Evictions {
  const { store, bus, clock } = around;

  function committed(worker: string, leaving: Leaving): void {
    lettingGo.committed(leaving);
    for (const { id } of leaving.cards) {
      const attempt = leaving.tasks.find(({ next }) => next.id === id)?.next.attempt;
      bus.publish(`worker:${worker}`, `${evictedWord}${id} ${attempt}`);
    }
  }

  async function evict(by: By, id: string): Promise<Evicted> {
    for (let looks = 0; looks < looksMax; looks += 1) {
      const [record] = await store.read("tasks", { ids: [id] });
      if (record === undefined) throw new Problem("task-not-found", `Task ${id} does not exist`);
      const { worker, attempt } = record.row;
      if (worker === null || record.outcome !== null) throw inNobodysHands(id);
      const { answer } = await store.amend({ workers: [worker], tasks: [id] }, (view) =>
        evicted(by, view, { task: id, attempt, worker }),
      );
      if (answer === null) continue;
      committed(worker, answer);
      await catalog.refresh();
      bus.publish("catalog");
      return { task: id, attempt, worker };
    }
    throw new Problem("lease-lost", `Task ${id} changes hands too fast to be taken from anybody`);
  }

  function evicted(by: By, view: AmendView, { task, attempt, worker }: Evicted): Amendment<Leaving | null> {
    const open = view.tasks.get(task);
    if (open?.row.worker !== worker || open.row.attempt !== attempt) return { answer: null };
    const known = view.workers.get(worker);
    // Here, for it may have gone to somebody else's worker since anybody looked.
    requireOperator(by.who, known?.owner ?? null);
    const leaving = lettingGo.released(view, worker, "evicted", by.who.user);
    const args = { task_id: task, attempt };
    const told = known === undefined ? null : toldOf(known, by, args);
    const data = { worker, attempt };
    return {
      ...{ answer: leaving, tasks: leaving.tasks, outbox: leaving.outbox, ...told },
      audit: [auditEntry(around, by.who, { action: "task.evict", kind: "task", target: task, note: by.note, data })],
    };
  }

  function toldOf(worker: WorkerRecord, by: By, args: Readonly<Record<string, unknown>>) {
    const command = newCommand(around, worker, by, { type: "evict", args }, clock.now());
    return { workers: [{ ...worker, orders: { ...worker.orders, latest: command.id } }], commands: [command] };
  }

  async function endDrain(worker: string): Promise<number> {
    for (let moved = 0; ; ) {
      const { answer } = await store.amend({ workers: [worker], heldBy: [worker] }, (view) =>
        drained(view, worker, clock.now()),
      );
      committed(worker, answer);
      moved += answer.tasks.length;
      if (answer.more) continue;
      await catalog.refresh();
      bus.publish("catalog");
      return moved;
    }
  }

  function drained(view: AmendView, id: string, now: number): Amendment<Leaving> {
    const worker = view.workers.get(id);
    const drain = worker?.orders.drain ?? null;
    const isDue = drain !== null && !drain.isOver && drain.deadline !== null && now >= drain.deadline;
    if (worker === undefined || !isDue) return { answer: nothing };
    const leaving = lettingGo.released(view, id, "drained", drain.by);
    // It stands until the last has gone, so a crash in between leaves the rest to the next sweep.
    const over = leaving.more ? [] : [{ ...worker, orders: { ...worker.orders, drain: { ...drain, isOver: true } } }];
    return { answer: leaving, tasks: leaving.tasks, outbox: leaving.outbox, workers: over };
  }

  return { evict, endDrain };
}

const nothing: Leaving = { cards: [], tasks: [], outbox: [], more: false };

function inNobodysHands(id: OpenTask["card"]["id"]): Problem {
  return new Problem("invalid-task-transition", `Task ${id} is in nobody's hands`);
}
