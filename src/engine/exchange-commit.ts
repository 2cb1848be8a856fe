// One exchange: sends the load, then tells everyone in it what became of them. Never rejects: each caller gets an answer
// of its own.

import type { ClaimedTask, TaskWrite } from "../ports/records.ts";
import { demandsOf, type Fold, type Load, type Wanted } from "./exchange-load.ts";
import type { ExchangeParts } from "./exchanger.ts";
import { concernsAll } from "./group-commit.ts";
import type { Surroundings } from "./surroundings.ts";

export function exchangeCommit(around: Surroundings, parts: ExchangeParts): (load: Load) => Promise<void> {
  const { store, clock, telemetry } = around;
  const { held, effects } = parts;

  async function commit(load: Load): Promise<void> {
    const writes = load.folds.map((fold) => fold.folding.write() as TaskWrite);
    const { demands, places } = demandsOf(load.wanted);
    const startedAt = clock.now();
    try {
      const size = { writes: writes.length, demands: demands.length };
      const answer = await telemetry.span("leadhand.exchange", size, () => store.exchange(writes, demands, startedAt));
      telemetry.committed("exchange", writes.length + places.length, clock.now() - startedAt);
      for (const [index, fold] of load.folds.entries()) {
        settled(fold, writes[index] as TaskWrite, answer.written[index] === true);
      }
      for (const { wanting, demand, taker } of places) claimed(wanting, answer.claimed[demand]?.[taker] ?? []);
    } catch (error) {
      await failed(load, error);
    }
  }

  function settled(fold: Fold, write: TaskWrite, written: boolean): void {
    const { card } = fold.folding.task;
    if (!written) {
      held.drop(card.id);
      for (const caller of fold.callers) caller.resolve({ task: caller.task, missed: true });
      return;
    }
    if (write.next.worker === null || write.outcome !== null) held.drop(card.id);
    else held.moved(card.id, write.next);
    effects.moved(card, write);
    for (const caller of fold.callers) caller.resolve({ task: caller.task, missed: false });
  }

  function claimed(wanting: Wanted, tasks: readonly ClaimedTask[]): void {
    for (const task of tasks) held.keep(task);
    effects.claimed(tasks, wanting.taker.assign);
    wanting.resolve(tasks);
  }

  async function failed(load: Load, error: unknown): Promise<void> {
    if (load.folds.length + load.wanted.length > 1 && !concernsAll(error)) {
      // One item's bad data must not fail the others.
      for (const fold of load.folds) await commit({ folds: [fold], wanted: [] });
      for (const one of load.wanted) await commit({ folds: [], wanted: [one] });
      return;
    }
    for (const fold of load.folds) for (const caller of fold.callers) caller.reject(error);
    for (const one of load.wanted) one.reject(error);
  }

  return commit;
}
