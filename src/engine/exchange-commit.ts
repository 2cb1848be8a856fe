// One exchange: sends the load, then tells everyone in it what became of them. Never rejects: each caller gets an answer
// of its own.

import type { ClaimedTask, TaskWrite } from "../ports/records.ts";
import type { ExchangeAnswer } from "../ports/store.ts";
import type { Change } from "./effects.ts";
import { demandsOf, type Fold, type Load, type Wanted } from "./exchange-load.ts";
import type { ExchangeParts } from "./exchanger.ts";
import { concernsAll } from "./group-commit.ts";
import type { Surroundings } from "./surroundings.ts";

export function exchangeCommit(around: Surroundings, parts: ExchangeParts): (load: Load) => Promise<void> {
  const { store, clock, telemetry, log } = around;
  const { held, effects } = parts;

  async function commit(load: Load): Promise<void> {
    const folds = [...load.folds.values()];
    const changes = folds.map(({ folding }) => ({ card: folding.task.card, write: folding.write() as TaskWrite }));
    const writes = changes.map(({ write }) => write);
    const { demands, places } = demandsOf(load.wanted);
    const startedAt = clock.now();
    let answer: ExchangeAnswer;
    try {
      const size = { writes: writes.length, demands: demands.length };
      answer = await telemetry.span("leadhand.exchange", size, () => store.exchange(writes, demands, startedAt));
    } catch (error) {
      return failed(load, error);
    }
    const written = changes.filter((change, index) => keep(change, answer.written[index] === true));
    afterwards(() => telemetry.committed("exchange", writes.length + places.length, clock.now() - startedAt));
    afterwards(() => effects.movedAll(written));
    for (const [index, fold] of folds.entries()) tell(fold, answer.written[index] !== true);
    for (const { wanting, demand, taker } of places) claimed(wanting, answer.claimed[demand]?.[taker] ?? []);
  }

  /** What follows a commit may fail, but it is no reason to make the commit again, or to leave others waiting. */
  function afterwards(act: () => void): void {
    try {
      act();
    } catch (error) {
      log.error("what follows a commit has failed", { error });
    }
  }

  /** Keeps the copies true. */
  function keep({ card, write }: Change, written: boolean): boolean {
    if (!written || write.next.worker === null || write.outcome !== null) held.drop(card.id);
    else held.moved(card.id, write.next);
    return written;
  }

  function tell({ callers }: Fold, missed: boolean): void {
    for (const { request, told, task } of callers) afterwards(() => told.settled(request, task, missed));
  }

  function claimed(wanting: Wanted, tasks: readonly ClaimedTask[]): void {
    for (const task of tasks) held.keep(task);
    afterwards(() => effects.claimed(tasks, wanting.taker.assign));
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
      for (const { request, told } of callers) afterwards(() => told.failed(request, error));
    }
    for (const one of load.wanted) one.reject(error);
  }

  return commit;
}
