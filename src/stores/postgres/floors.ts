// Where the search of a lane may begin. A task that was claimed leaves a dead entry at the head of its lane's index, and
// until the table is vacuumed every claim would walk over all of them: after a busy minute, millions.
//
// A floor is the place of the last task claimed in a lane: whoever stands before it was taken. That stays true until a
// task becomes ready that stands earlier: a more urgent one, or one that comes back. What this server does is noticed
// at once. What other servers do is not, so a floor holds for a second at most, and is used only where it matters: in
// a lane that gave many tasks within that second. There, across servers, the order is exact within a second.

import { rankOf } from "../../core/lane.ts";
import type { ClaimedTask, NewTask, TaskCard } from "../../ports/records.ts";

export interface Floors {
  /** For one search of these lanes, from their floors or from the beginning. */
  under(lanes: readonly number[], now: number, from: "floor" | "beginning"): Floor;
  /** Tasks were submitted: they may stand before a floor. */
  submitted(tasks: readonly NewTask[]): void;
  /** Tasks may have come back, nobody knows where. */
  forget(): void;
}

export interface Floor {
  /** As an array of bytea. */
  readonly places: string;
  readonly isUsed: boolean;
  /** Is told what the search took, when that is committed. */
  raise(claimed: readonly (readonly ClaimedTask[])[]): void;
}

interface LaneFloor {
  /** When all of the lane was last looked at, and how many tasks it gave since. */
  readonly lookedAt: number;
  given: number;
  place: string;
}

const holdMs = 1_000;
const givenMin = 1_000;

export function floors(): Floors {
  const lanes = new Map<number, LaneFloor>();
  /** Changes when something became ready: what a search found before that is no floor any more. */
  let epoch = 0;

  function placeUnder(lane: number, now: number): string {
    const floor = lanes.get(lane);
    if (floor === undefined) return "";
    if (now - floor.lookedAt < holdMs) return floor.given >= givenMin ? floor.place : "";
    lanes.delete(lane);
    return "";
  }

  function raise(card: TaskCard, given: number, lookedAt: number | null): void {
    const floor = lanes.get(card.lane);
    const place = placeOf(card);
    if (floor !== undefined) {
      floor.given += given;
      if (place > floor.place) floor.place = place;
    } else if (lookedAt !== null) lanes.set(card.lane, { lookedAt, given, place });
  }

  return {
    under(wanted, now, from) {
      const begun = epoch;
      const used = new Map(wanted.map((lane) => [lane, from === "floor" ? placeUnder(lane, now) : ""]));
      return {
        places: `{${[...used.values()].map((place) => `"\\\\x${place}"`).join(",")}}`,
        isUsed: [...used.values()].some((place) => place !== ""),
        raise(claimed) {
          if (begun !== epoch) return;
          for (const [card, given] of lastOfEachLane(claimed))
            raise(card, given, used.get(card.lane) === "" ? now : null);
        },
      };
    },
    submitted(tasks) {
      if (lanes.size === 0) return;
      for (const { card } of tasks) {
        const floor = lanes.get(card.lane);
        if (floor === undefined || placeOf(card) >= floor.place) continue;
        lanes.delete(card.lane);
        epoch += 1;
      }
    },
    forget() {
      lanes.clear();
      epoch += 1;
    },
  };
}

/** With how many of the lane there are. Tasks come in the order of their places. */
function lastOfEachLane(claimed: readonly (readonly ClaimedTask[])[]): [TaskCard, number][] {
  const last = new Map<number, [TaskCard, number]>();
  for (const tasks of claimed) {
    for (const { card } of tasks) last.set(card.lane, [card, (last.get(card.lane)?.[1] ?? 0) + 1]);
  }
  return [...last.values()];
}

/** Rank, then id, as the bytes that the index is sorted by, in hexadecimal. */
function placeOf({ priority, id }: TaskCard): string {
  const rank = ((rankOf(priority) ^ 0x80000000) >>> 0).toString(16).padStart(8, "0");
  return rank + id.replaceAll("-", "");
}
