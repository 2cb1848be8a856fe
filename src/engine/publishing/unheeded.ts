// Tasks whose message the broker has lost, or a consumer took and forgot: ready, confirmed long ago, and their queue has been
// empty since. They are told of again, a few times soon and then seldom; a queue that is only long is left alone.

import { type MessageTries, triesAfter, untried } from "../../core/message-tries.ts";
import type { Message } from "../../ports/records.ts";
import type { Choice } from "../locked-moves.ts";
import type { Moves } from "../moves.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Emptiness } from "./emptiness.ts";

export interface Unheeded {
  /** Those that the broker has had since before then. The move makes them ready anew, and that is told as it always is. */
  look(lanes: readonly number[], confirmedBefore: number): Promise<void>;
}

export interface UnheededParts {
  readonly queue: string;
  readonly emptiness: Pick<Emptiness, "look" | "seenAt">;
  readonly moves: Pick<Moves, "locked" | "circumstances">;
}

const slice = 100;
const eventsMax = 500;
/** How often a task is told of that was told of again as often as that is done soon: it is never lost. */
const seldomMs = 3_600_000;

/** A task that is not told of before then, at this version. */
interface Resting {
  readonly version: number;
  readonly until: number;
}

export function unheeded(
  { store, clock, log, settings }: Pick<Surroundings, "store" | "clock" | "log" | "settings">,
  { queue, emptiness, moves }: UnheededParts,
): Unheeded {
  const { republishMax, unconsumedMax } = settings;
  /** By lane and task, so that they do not hide the others and are not read again and again. */
  const resting = new Map<number, ReadonlyMap<string, Resting>>();

  async function triesOf(task: string): Promise<MessageTries> {
    let tries = untried;
    for (let offset = 0; ; offset += eventsMax) {
      const { items } = await store.read("events", { task, limit: eventsMax, offset });
      tries = items.reduce(triesAfter, tries);
      if (items.length < eventsMax) return tries;
    }
  }

  async function republish({ task, version }: Message): Promise<void> {
    await moves.locked(task, (open): Choice => {
      // Somebody has taken it since.
      if (open.row.version !== version) return "leave";
      return { move: { type: "republish" }, around: moves.circumstances(open, null) };
    });
  }

  async function foundIn(lane: number, confirmedBefore: number): Promise<readonly Message[]> {
    const known = resting.get(lane) ?? none;
    const now = clock.now();
    const found = await store.find("unheeded", { lane, confirmedBefore, limit: slice + known.size });
    const rests = new Map<string, Resting>();
    for (const { task, version } of found) {
      const rest = known.get(task);
      if (rest?.version === version && now < rest.until) rests.set(task, rest);
    }
    resting.set(lane, rests);
    return found.filter(({ task }) => !rests.has(task));
  }

  async function tellAgain(lane: number, message: Message): Promise<void> {
    const { task, version } = message;
    const { count, lastAt } = await triesOf(task);
    const until = count < republishMax ? clock.now() : lastAt + seldomMs;
    const isDue = until <= clock.now();
    if (count === republishMax || (count > republishMax && isDue)) {
      log.warn("a task is not taken from its queue, however often it is put there", { task, queue, times: count });
    }
    if (isDue) return republish(message);
    resting.set(lane, new Map([...(resting.get(lane) ?? none), [task, { version, until }]]));
  }

  /** Slice by slice: after a purge it may be all that was in the queue. */
  async function lookInto(lane: number, confirmedBefore: number): Promise<void> {
    for (let left = unconsumedMax; left > 0; left -= slice) {
      const found = await foundIn(lane, confirmedBefore);
      await Promise.all(found.map((message) => tellAgain(lane, message)));
      if (found.length < slice) return;
    }
  }

  return {
    async look(lanes, confirmedBefore) {
      const silent: number[] = [];
      for (const lane of lanes) if ((await foundIn(lane, confirmedBefore)).length > 0) silent.push(lane);
      if (silent.length === 0) return;
      // Asked before anything is told again: the queue is not empty then.
      await emptiness.look();
      const emptyAt = emptiness.seenAt([queue]);
      if (emptyAt === Number.NEGATIVE_INFINITY) return;
      for (const lane of silent) await lookInto(lane, Math.min(confirmedBefore, emptyAt));
    },
  };
}

const none: ReadonlyMap<string, Resting> = new Map();
