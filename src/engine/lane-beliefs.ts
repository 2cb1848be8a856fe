// How many tasks each lane is believed to hold: raised by news, lowered by claims, ended by a short answer. News that
// arrives while a question is under way outlives its answer. Some news says how many there are, some only that there are
// some: then every answer that is not short doubles the belief.

import type { ClaimedTask } from "../ports/records.ts";
import type { LaneSet } from "./catalog.ts";

/** A question, with the news its lanes had had when it was asked. */
export interface Asked {
  readonly set: LaneSet;
  readonly news: readonly number[];
  readonly limit: number;
}

export interface LaneBeliefs {
  raise(lane: number, count: number): void;
  /** It holds something, nobody knows how much. */
  suppose(lane: number): void;
  of(lane: number): number;
  /** What questions under way may take from the lane. */
  underWay(lane: number): number;
  /** Lanes believed to hold something. */
  lanes(): readonly number[];
  /** The part of the set that is worth asking; the same object while belief does not change. */
  believed(set: LaneSet): LaneSet;
  ask(set: LaneSet, limit: number): Asked;
  answered(asked: Asked, tasks: readonly ClaimedTask[], short: boolean): void;
}

interface Belief {
  count: number;
  news: number;
  asking: number;
  /** There may be more than is counted. */
  vague: boolean;
}

/** How much to ask for when a lane is said to hold something, but not how much. */
const probe = 16;

export function laneBeliefs(): LaneBeliefs {
  const beliefs = new Map<number, Belief>();
  let parts = new Map<LaneSet, LaneSet>();

  function at(lane: number): Belief {
    let belief = beliefs.get(lane);
    if (belief === undefined) {
      belief = { count: 0, news: 0, asking: 0, vague: false };
      beliefs.set(lane, belief);
    }
    return belief;
  }

  function set(belief: Belief, count: number): void {
    if (belief.count > 0 !== count > 0) parts = new Map();
    belief.count = count;
  }

  function believed(whole: LaneSet): LaneSet {
    const known = parts.get(whole);
    if (known !== undefined) return known;
    const has = (lane: number): boolean => (beliefs.get(lane)?.count ?? 0) > 0;
    const lanes = whole.lanes.filter(has);
    const part = lanes.length === whole.lanes.length ? whole : { lanes, limited: whole.limited.filter(has) };
    parts.set(whole, part);
    return part;
  }

  return {
    raise(lane, count) {
      const belief = at(lane);
      belief.news += 1;
      set(belief, belief.count + count);
    },
    suppose(lane) {
      const belief = at(lane);
      belief.news += 1;
      belief.vague = true;
      if (belief.count === 0) set(belief, probe);
    },
    of: (lane) => beliefs.get(lane)?.count ?? 0,
    underWay: (lane) => beliefs.get(lane)?.asking ?? 0,
    lanes: () => [...beliefs].filter(([, belief]) => belief.count > 0).map(([lane]) => lane),
    believed,
    ask(whole, limit) {
      for (const lane of whole.lanes) at(lane).asking += limit;
      return { set: whole, limit, news: whole.lanes.map((lane) => at(lane).news) };
    },
    answered(asked, tasks, short) {
      for (const { card } of tasks) {
        const belief = at(card.lane);
        const more = belief.vague && !short ? 2 * belief.asking : 0;
        set(belief, Math.max(belief.count - 1, more));
      }
      asked.set.lanes.forEach((lane, index) => {
        const belief = at(lane);
        belief.asking -= asked.limit;
        if (!short || belief.news !== asked.news[index]) return;
        belief.vague = false;
        set(belief, 0);
      });
    },
  };
}
