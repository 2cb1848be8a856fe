// One queue of the broker that is told the ids of tasks.

import { leftoverMs, lookerOf, taskMessage } from "../../core/messages.ts";
import { isRecent } from "../../core/recent.ts";
import type { Message } from "../../ports/records.ts";
import { rowsMax } from "../../ports/store.ts";
import type { ReadyTask } from "../effects.ts";
import type { Moves } from "../moves.ts";
import type { Surroundings } from "../surroundings.ts";
import { emptiness } from "./emptiness.ts";
import { type Line, type LineParts, line } from "./line.ts";
import { looking } from "./looking.ts";
import { lanePlaces, narrowLanes } from "./narrow-lanes.ts";
import type { Parcel } from "./parcels.ts";
import { unheeded } from "./unheeded.ts";

export interface TaskQueue extends Pick<Line<Parcel>, "quiet" | "stop"> {
  /** Ready just now, by a commit of this server. */
  add(tasks: readonly ReadyTask[]): void;
  /** Tells what has been left over for so long in these lanes, in their order; after a look that is under way. */
  look(lanes: readonly number[], leftMs: number): void;
  /** Tells of these tasks, which are in these lanes, and may have been written just now. */
  promoted(lanes: readonly number[], tasks: ReadonlySet<string>): void;
  /** Somebody has let go of a task of this lane. */
  freed(lane: number): void;
}

export interface TaskQueueParts extends Pick<LineParts<Parcel>, "queue" | "courier" | "servers"> {
  readonly moves: Pick<Moves, "locked" | "circumstances">;
  /** How many tasks of this lane may run at a time; null for any number. */
  limitOf(lane: number): number | null;
}

interface TaskParcel extends Parcel {
  readonly message: Message;
}

const slice = 500;
/** So many times what fits into the queue may wait here: in a burst, what does not is told of only when it is left over. */
const waitingTimes = 5;
/** How often it is looked for tasks whose messages are gone; more often only where that is to be noticed soon. */
const unheededLookMs = 60_000;

export function taskQueue(around: Surroundings, parts: TaskQueueParts): TaskQueue {
  const { store, clock, log, settings } = around;
  const { queue, courier, servers, moves, limitOf } = parts;
  const empty = emptiness(clock, courier, [queue]);
  const told = line<TaskParcel>(around, {
    ...{ queue, courier, depths: empty, servers, waitingMax: waitingTimes * settings.unconsumedMax },
    confirmed: (told) =>
      store.confirm(
        told.map(({ parcel }) => parcel.message),
        clock.now(),
      ),
  });
  const lost = unheeded(around, { queue, emptiness: empty, moves });
  const places = lanePlaces(around, limitOf);
  const narrow = narrowLanes(log, queue, (lane) => tellSome(lane, -1));
  const look = looking(log, `queue ${queue} could not be told of what was left over`);
  const lookMs = Math.min(unheededLookMs, settings.republishAfterMs / 2);
  let lostLookedAt = Number.NEGATIVE_INFINITY;
  /** What is to be looked at next: all of these lanes, and what became ready in some by the time. */
  let wide: { readonly lanes: readonly number[]; readonly leftMs: number } | null = null;
  let promoted = nothingPromoted;

  function parcelOf({ task, version }: Message): TaskParcel {
    return { bodies: [taskMessage(task)], at: clock.now(), message: { task, version } };
  }

  async function tellSome(lane: number, leftMs: number): Promise<{ found: number; sent: number }> {
    const limit = Math.min(slice, await places(lane));
    const found =
      limit <= 0 ? [] : await store.find("unpublished", { lane, activeBefore: clock.now() - leftMs, limit });
    return { found: found.length, sent: await told.send(found.map(parcelOf), lookerOf(leftMs)) };
  }

  /** Round by round, so that no lane waits for another to be through. */
  async function tellLeft(lanes: readonly number[], leftMs: number): Promise<void> {
    for (let left = lanes; left.length > 0; ) {
      const more: number[] = [];
      for (const lane of left) {
        const { found, sent } = await tellSome(lane, leftMs);
        if (sent < found) return;
        if (found === slice) more.push(lane);
      }
      // Lanes that came meanwhile, and what became ready, must not wait for the end of a long line: the next look knows of all.
      if (wide !== null || promoted.tasks.size > 0) return;
      left = more;
    }
  }

  async function tellPromoted({ lanes, tasks }: typeof nothingPromoted): Promise<void> {
    if (tasks.size === 0) return;
    narrow(lanes.filter(isNarrow));
    for (const lane of lanes.filter((each) => !isNarrow(each))) {
      const ready = await store.find("unpublished", { lane, activeBefore: clock.now() + 1, limit: rowsMax });
      await told.send(ready.filter(({ task }) => tasks.has(task)).map(parcelOf));
    }
  }

  const isNarrow = (lane: number): boolean => limitOf(lane) !== null;

  /** What was promoted goes with what was left over, for it looks as if it were. */
  async function lookNow(): Promise<void> {
    const [some, all] = [promoted, wide];
    promoted = nothingPromoted;
    wide = null;
    await tellPromoted(some);
    const { lanes, leftMs } = all ?? { lanes: some.lanes, leftMs: leftoverMs };
    await tellLeft(rotated(lanes, clock.now()), leftMs);
    // Not where some lanes alone are looked at: the others would have to wait for the next time, and for ever if that came soon.
    if (all !== null) await findLost(lanes, leftMs - leftoverMs);
  }

  async function findLost(lanes: readonly number[], moreMs: number): Promise<void> {
    if (isRecent(lostLookedAt, clock.now(), lookMs)) return;
    lostLookedAt = clock.now();
    await lost.look(lanes, clock.now() - settings.republishAfterMs - moreMs);
  }

  return {
    ...{ quiet: () => told.quiet(), stop: () => told.stop() },
    add(tasks) {
      narrow(tasks.map(({ lane }) => lane).filter(isNarrow));
      told.add(tasks.filter(({ lane }) => !isNarrow(lane)).map(parcelOf));
    },
    freed: (lane) => narrow([lane].filter(isNarrow)),
    look(lanes, leftMs) {
      wide = { lanes, leftMs };
      look(lookNow);
    },
    promoted(lanes, tasks) {
      promoted = { lanes: [...new Set([...promoted.lanes, ...lanes])], tasks: new Set([...promoted.tasks, ...tasks]) };
      look(lookNow);
    },
  };
}

const nothingPromoted: { readonly lanes: readonly number[]; readonly tasks: ReadonlySet<string> } = {
  ...{ lanes: [], tasks: new Set() },
};

/** Another begins each second: where there is room for few, each lane has its turn. */
function rotated(lanes: readonly number[], now: number): readonly number[] {
  const from = Math.floor(now / 1_000) % Math.max(1, lanes.length);
  return [...lanes.slice(from), ...lanes.slice(0, from)];
}
