// Tasks whose message the broker has lost, or a consumer took and forgot: ready, confirmed long ago, and their queue has been
// empty since. They are told of again, a few times; a queue that is only long is left alone.

import type { TaskEvent } from "../../core/task-event.ts";
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

export function unheeded(
  { store, log, settings }: Pick<Surroundings, "store" | "log" | "settings">,
  { queue, emptiness, moves }: UnheededParts,
): Unheeded {
  const { republishMax, unconsumedMax } = settings;
  /** By lane, those for whom all was tried, so that they do not hide the others and are not read again and again. */
  const givenUp = new Map<number, ReadonlyMap<string, number>>();

  /** Those since a person has last told it again. */
  async function republishes(task: string): Promise<number> {
    let count = 0;
    for (let offset = 0; ; offset += eventsMax) {
      const { items } = await store.read("events", { task, limit: eventsMax, offset });
      for (const event of items) if (event.type === "task.republished") count = isByPerson(event) ? 0 : count + 1;
      if (items.length < eventsMax) return count;
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
    const known = givenUp.get(lane) ?? none;
    const found = await store.find("unheeded", { lane, confirmedBefore, limit: slice + known.size });
    const still = found.filter(({ task, version }) => known.get(task) === version);
    givenUp.set(lane, new Map(still.map(({ task, version }) => [task, version])));
    return found.filter((message) => !still.includes(message));
  }

  async function tellAgain(lane: number, message: Message): Promise<void> {
    const { task, version } = message;
    if ((await republishes(task)) < republishMax) return republish(message);
    givenUp.set(lane, new Map([...(givenUp.get(lane) ?? none), [task, version]]));
    log.warn("a task is not taken from its queue, however often it is put there", { task, queue });
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

function isByPerson({ data }: Pick<TaskEvent, "data">): boolean {
  return data !== null && (JSON.parse(data) as { readonly actor?: string }).actor !== undefined;
}

const none: ReadonlyMap<string, number> = new Map();
