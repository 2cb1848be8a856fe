// One queue of the broker that is told of operations. They have no tasks: until they are counted, they are items of the
// outbox.

import { leftoverMs, lookerOf, strandedMs } from "../../core/messages.ts";
import type { OutboxItem } from "../../ports/records.ts";
import type { Hearing } from "../hearing.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Emptiness } from "./emptiness.ts";
import { keptMessages } from "./kept-messages.ts";
import { type Line, type LineParts, line } from "./line.ts";
import { looking } from "./looking.ts";
import { openItems } from "./open-items.ts";
import { messagesIn, messagesKind } from "./operation-items.ts";
import type { Parcel, Passing } from "./parcels.ts";

export interface OperationQueue extends Pick<Line<Parcel>, "quiet" | "stop"> {
  /** Written just now, by this server; those for other queues are left out. */
  add(items: readonly OutboxItem[]): void;
  /** Tells what has been left over for so long, and again what was lost; each after a look that is under way. */
  look(leftMs: number): void;
}

export interface OperationQueueParts extends Pick<LineParts<Parcel>, "queue" | "courier" | "servers"> {
  /** Of all that messages of this one may be handed on to, and of itself. */
  readonly emptiness: Emptiness;
  readonly hearing: Pick<Hearing, "awayUntil">;
}

/** What the broker never takes is tried again so much later; as often it tries it itself. */
const unfitMs = 60_000;
/**
 * Each comes after all that are due by then, so that nothing hides others, and a queue that is full is filled again soon.
 * What is refused here may be taken from other servers: it stays old enough for those that look beside the leader.
 */
const putOffMs: Readonly<Record<Passing, number>> = { unfit: unfitMs, steppedOver: 0, refused: -strandedMs };

interface ItemParcel extends Parcel {
  readonly item: OutboxItem;
}

const slice = 50;
/** Items hold their messages, which may be long. */
const waitingMax = 100;

export function operationQueue(around: Surroundings, parts: OperationQueueParts): OperationQueue {
  const { store, clock, log } = around;
  const { queue, courier, servers, emptiness, hearing } = parts;
  const kind = messagesKind(queue);
  const told = line<ItemParcel>(around, {
    ...{ queue, courier, depths: emptiness, servers, waitingMax },
    confirmed: (told) => kept.keep(told.map(({ parcel: { item }, left }) => ({ item, left }))),
    passedOver: (parcels, why) =>
      kept.putOff(
        parcels.map(({ item }) => item),
        clock.now() + putOffMs[why],
      ),
  });
  const kept = keptMessages(around, { queue, emptiness, hearing });
  const lookForLeft = looking(log, `queue ${queue} could not be told of operations that were left over`);
  const lookForLost = looking(log, `it could not be looked for operations that queue ${queue} has lost`);

  async function tellLeft(leftMs: number): Promise<void> {
    for (;;) {
      const found = await store.find("outbox", { kind, dueBy: clock.now() - leftMs, limit: slice });
      // Those of coordinators that have ended would be taken from the queue for nothing, and stand before all others.
      const left = await openItems(store, found);
      const sent = await told.send(left.map(parcelOf), lookerOf(leftMs));
      if (sent < left.length || found.length < slice) return;
    }
  }

  function tellAgain(leftMs: number): Promise<void> {
    return kept.look(clock.now() - (leftMs - leftoverMs), (again) => told.add(again.map(parcelOf)));
  }

  return {
    ...{ quiet: () => told.quiet(), stop: () => told.stop() },
    add: (items) => told.add(items.filter((item) => item.kind === kind).map(parcelOf)),
    look(leftMs) {
      // Beside each other: what is kept may be much, and each of it is looked at in a transaction of its own.
      lookForLeft(() => tellLeft(leftMs));
      lookForLost(() => tellAgain(leftMs));
    },
  };
}

function parcelOf(item: OutboxItem): ItemParcel {
  return { item, bodies: messagesIn(item).bodies, at: item.at };
}
