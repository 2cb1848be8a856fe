// Settling and claiming, in one commit. Moves of tasks this server handed out and demands of workers gather while an
// exchange is under way and leave together as the next. Moves of one task never travel in two exchanges at once.

import type { Circumstances, Move } from "../core/task.ts";
import type { ClaimedTask, OpenTask } from "../ports/records.ts";
import type { Taker } from "../ports/store.ts";
import type { LaneSet } from "./catalog.ts";
import type { Effects } from "./effects.ts";
import { exchangeCommit } from "./exchange-commit.ts";
import { type Gathering, nextLoad, type Settled } from "./exchange-load.ts";
import { flights } from "./flights.ts";
import { folding } from "./folding.ts";
import type { Held } from "./held.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Decision {
  readonly move: Move;
  readonly around: Circumstances;
}

export interface Exchanger {
  /** `decide` may throw a Problem, which reaches the caller. Undefined when this server has no copy of the task. */
  settle(id: string, decide: (task: OpenTask) => Decision): Promise<Settled | undefined>;
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
  let underWay: readonly { readonly ids: ReadonlySet<string>; readonly flight: Promise<void> }[] = [];
  const commit = exchangeCommit(around, parts);
  const { schedule, quiet } = flights(parts.width, () => gathering.folds.size > 0 || gathering.wanted.length > 0, send);

  async function send(free: number): Promise<void> {
    const load = nextLoad(gathering, around.settings.batchMax, free);
    const ids = new Set(load.folds.map((fold) => fold.folding.task.card.id));
    const flight = commit(load).finally(() => {
      underWay = underWay.filter((each) => each.ids !== ids);
    });
    underWay = [...underWay, { ids, flight }];
    await flight;
  }

  /** The exchange that carries a move of this task now; few are under way at once. */
  function flightOf(id: string): Promise<void> | undefined {
    return underWay.find(({ ids }) => ids.has(id))?.flight;
  }

  async function settle(id: string, decide: (task: OpenTask) => Decision): Promise<Settled | undefined> {
    for (let flight = flightOf(id); flight !== undefined; flight = flightOf(id)) await flight;
    let fold = gathering.folds.get(id);
    if (fold === undefined) {
      const copy = parts.held.get(id);
      if (copy === undefined) return undefined;
      fold = { folding: folding(copy), callers: [] };
    }
    const { move, around: circumstances } = decide(fold.folding.task);
    fold.folding.apply(move, circumstances);
    gathering.folds.set(id, fold);
    schedule();
    const { callers } = fold;
    const { task } = fold.folding;
    return new Promise((resolve, reject) => callers.push({ resolve, reject, task }));
  }

  function take(set: LaneSet, taker: Taker): Promise<readonly ClaimedTask[]> {
    return new Promise((resolve, reject) => {
      gathering.wanted.push({ set, taker, resolve, reject });
      schedule();
    });
  }

  return { settle, take, quiet };
}
