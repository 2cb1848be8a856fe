// One exchange: sends the load, then tells everyone in it what became of them. Never rejects: each caller gets an answer
// of its own.

import type { ClaimedTask, TaskWrite } from "../ports/records.ts";
import type { Change } from "./effects.ts";
import { demandsOf, type Fold, type Load, type Wanted } from "./exchange-load.ts";
import type { ExchangeParts } from "./exchanger.ts";
import { concernsAll } from "./group-commit.ts";
import type { Surroundings } from "./surroundings.ts";

export function exchangeCommit(around: Surroundings, parts: ExchangeParts): (load: Load) => Promise<void> {
  const { store, clock, telemetry } = around;
  const { held, effects } = parts;

  async function commit(load: Load): Promise<void> {
    const folds = [...load.folds.values()];
    const changes = folds.map(({ folding }) => ({ card: folding.task.card, write: folding.write() as TaskWrite }));
    const writes = changes.map(({ write }) => write);
    const { demands, places } = demandsOf(load.wanted);
    const startedAt = clock.now();
    try {
      const size = { writes: writes.length, demands: demands.length };
      const answer = await telemetry.span("leadhand.exchange", size, () => store.exchange(writes, demands, startedAt));
      telemetry.committed("exchange", writes.length + places.length, clock.now() - startedAt);
      effects.movedAll(changes.filter((change, index) => keep(change, answer.written[index] === true)));
      for (const [index, fold] of folds.entries()) tell(fold, answer.written[index] !== true);
      for (const { wanting, demand, taker } of places) claimed(wanting, answer.claimed[demand]?.[taker] ?? []);
    } catch (error) {
      await failed(load, error);
    }
  }

  /** Keeps the copies true. */
  function keep({ card, write }: Change, written: boolean): boolean {
    if (!written || write.next.worker === null || write.outcome !== null) held.drop(card.id);
    else held.moved(card.id, write.next);
    return written;
  }

  function tell({ callers }: Fold, missed: boolean): void {
    for (const { request, told, task } of callers) told.settled(request, task, missed);
  }

  function claimed(wanting: Wanted, tasks: readonly ClaimedTask[]): void {
    for (const task of tasks) held.keep(task);
    effects.claimed(tasks, wanting.taker.assign);
    wanting.resolve(tasks);
  }

  async function failed(load: Load, error: unknown): Promise<void> {
    if (load.folds.size + load.wanted.length > 1 && !concernsAll(error)) {
      // One item's bad data must not fail the others.
      for (const entry of load.folds) await commit({ folds: new Map([entry]), wanted: [] });
      for (const one of load.wanted) await commit({ folds: new Map(), wanted: [one] });
      return;
    }
    for (const { callers } of load.folds.values()) {
      for (const { request, told } of callers) told.failed(request, error);
    }
    for (const one of load.wanted) one.reject(error);
  }

  return commit;
}
