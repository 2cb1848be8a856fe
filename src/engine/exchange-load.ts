// What travels in one exchange: the folded moves of tasks, and the demands of workers.

import type { ClaimedTask } from "../ports/records.ts";
import type { Demand, Taker } from "../ports/store.ts";
import type { LaneSet } from "./catalog.ts";
import type { Folding, MovedTask } from "./folding.ts";

/** Who hears what became of requests: one may listen for many, so each is told together with its request. */
export interface Told<R> {
  /** Written, with the task as it is now; or missed: this server's copy was no longer true. */
  settled(request: R, task: MovedTask, missed: boolean): void;
  failed(request: R, error: unknown): void;
}

export interface Caller<R = unknown> {
  readonly request: R;
  readonly told: Told<R>;
  /** As its own move has left it. */
  readonly task: MovedTask;
}

export interface Fold {
  readonly folding: Folding;
  readonly callers: Caller[];
}

export interface Wanted {
  readonly set: LaneSet;
  readonly taker: Taker;
  resolve(tasks: readonly ClaimedTask[]): void;
  reject(error: unknown): void;
}

export interface Load {
  /** By task. */
  readonly folds: ReadonlyMap<string, Fold>;
  readonly wanted: readonly Wanted[];
}

/** What waits for the next exchange, in order of arrival. */
export interface Gathering {
  folds: Map<string, Fold>;
  wanted: Wanted[];
}

/** Fewer tasks than this are not worth sharing out: each statement has a price of its own. */
const worthSharing = 100;

/**
 * Takes from what waits, up to `max` rows of each kind, and not more than a fair share while other flights are free:
 * the database works on one part while this process works on the other.
 */
export function nextLoad(gathering: Gathering, max: number, free: number): Load {
  const share = (count: number): number => Math.min(max, Math.max(worthSharing, Math.ceil(count / free)));
  const folds = firstFolds(gathering, share(gathering.folds.size));
  const upTo = takersFor(gathering.wanted, share);
  const wanted = gathering.wanted.slice(0, upTo);
  gathering.wanted = gathering.wanted.slice(upTo);
  return { folds, wanted };
}

/**
 * A new map for what comes next: one that lives on while entries come and go leaves a trail of outgrown tables, and each
 * keeps alive all that came after it until the next full collection.
 */
function firstFolds(gathering: Gathering, most: number): ReadonlyMap<string, Fold> {
  const all = gathering.folds;
  const entries = all.size <= most ? [] : [...all];
  gathering.folds = new Map(entries.slice(most));
  return entries.length === 0 ? all : new Map(entries.slice(0, most));
}

/** How many of those who want something fit, at least one of them. */
function takersFor(wanted: readonly Wanted[], share: (slots: number) => number): number {
  const most = share(wanted.reduce((sum, { taker }) => sum + taker.limit, 0));
  let slots = 0;
  const upTo = wanted.findIndex(({ taker }, index) => {
    slots += taker.limit;
    return index > 0 && slots > most;
  });
  return upTo < 0 ? wanted.length : upTo;
}

/** Where in an exchange a demand stands, and so where its answer will be. */
export interface Place {
  readonly wanting: Wanted;
  readonly demand: number;
  readonly taker: number;
}

/** Workers that may serve the same lanes share one demand. */
export function demandsOf(wanted: readonly Wanted[]): { demands: Demand[]; places: Place[] } {
  const sets = new Map<LaneSet, number>();
  const takers: Taker[][] = [];
  const places = wanted.map((wanting) => {
    let demand = sets.get(wanting.set);
    if (demand === undefined) {
      demand = takers.push([]) - 1;
      sets.set(wanting.set, demand);
    }
    return { wanting, demand, taker: (takers[demand] as Taker[]).push(wanting.taker) - 1 };
  });
  const demands = [...sets.keys()].map((set, index) => ({ ...set, takers: takers[index] as Taker[] }));
  return { demands, places };
}
