// Settling and claiming, in one commit. Moves of tasks this server handed out and demands of workers gather while an
// exchange is under way and leave together as the next. Moves of one task never travel in two exchanges at once.

import type { Circumstances, Move } from "../core/task.ts";
import type { ClaimedTask, OpenTask } from "../ports/records.ts";
import type { Taker } from "../ports/store.ts";
import type { LaneSet } from "./catalog.ts";
import type { Effects } from "./effects.ts";
import { exchangeCommit } from "./exchange-commit.ts";
import { type Caller, type Fold, type Gathering, nextLoad, type Told } from "./exchange-load.ts";
import { flights } from "./flights.ts";
import { folding } from "./folding.ts";
import type { Held } from "./held.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Decision {
  /** Made before, in the same write. */
  readonly first?: Move | undefined;
  readonly move: Move;
  readonly around: Circumstances;
}

/** What a task is to do, as far as this server's copy of it can tell. Throws a Problem where it may not. */
export type DecideOn<R> = (task: OpenTask, request: R) => Decision;

export interface Exchanger {
  /**
   * Joins the next exchange; `told` hears of it once. False where this server has no copy of the task, or a move of it
   * is under way: then nothing has happened. What `decide` throws reaches the caller.
   */
  join<R extends { readonly id: string }>(request: R, decide: DecideOn<R>, told: Told<R>): boolean;
  /** Once no move of the task is under way; null where none is. */
  landed(id: string): Promise<void> | null;
  take(set: LaneSet, taker: Taker): Promise<readonly ClaimedTask[]>;
  quiet(): Promise<void>;
}

export interface ExchangeParts {
  readonly held: Held;
  readonly effects: Effects;
  readonly width: number;
}

export function exchanger(around: Surroundings, parts: ExchangeParts): Exchanger {
  const gathering: Gathering = { folds: new Map(), wanted: [] };
  let underWay: readonly { readonly folds: ReadonlyMap<string, Fold>; readonly flight: Promise<void> }[] = [];
  const commit = exchangeCommit(around, parts);
  const { schedule, quiet } = flights(parts.width, () => gathering.folds.size > 0 || gathering.wanted.length > 0, send);

  async function send(free: number): Promise<void> {
    const { folds, wanted } = nextLoad(gathering, around.settings.batchMax, free);
    const flight = commit({ folds, wanted }).finally(() => {
      underWay = underWay.filter((each) => each.folds !== folds);
    });
    underWay = [...underWay, { folds, flight }];
    await flight;
  }

  /** The exchange that carries a move of this task now; few are under way at once. */
  function flightOf(id: string): Promise<void> | undefined {
    for (const { folds, flight } of underWay) if (folds.has(id)) return flight;
    return undefined;
  }

  async function landing(id: string): Promise<void> {
    for (let flight = flightOf(id); flight !== undefined; flight = flightOf(id)) await flight;
  }

  function join<R extends { readonly id: string }>(request: R, decide: DecideOn<R>, told: Told<R>): boolean {
    const { id } = request;
    if (flightOf(id) !== undefined) return false;
    let fold = gathering.folds.get(id);
    if (fold === undefined) {
      const copy = parts.held.get(id);
      if (copy === undefined) return false;
      fold = { folding: folding(copy), callers: [] };
    }
    const { first, move, around: circumstances } = decide(fold.folding.task, request);
    if (first !== undefined) fold.folding.apply(first, circumstances);
    fold.folding.apply(move, circumstances);
    gathering.folds.set(id, fold);
    const caller: Caller<R> = { request, told, task: fold.folding.task };
    fold.callers.push(caller as Caller);
    schedule();
    return true;
  }

  function take(set: LaneSet, taker: Taker): Promise<readonly ClaimedTask[]> {
    return new Promise((resolve, reject) => {
      gathering.wanted.push({ set, taker, resolve, reject });
      schedule();
    });
  }

  return { join, landed: (id) => (flightOf(id) === undefined ? null : landing(id)), take, quiet };
}
