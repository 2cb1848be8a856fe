// What a queue was told of operations is kept until it is counted, or their coordinator has ended: a queue that is purged,
// or a consumer that took a message and forgot it, must not leave a coordinator waiting for ever. Those of a coordinator of
// which nothing was heard for long, and not since the queues that may have them held nothing, are told again, a few times
// soon and then seldom. A message that was not lost after all is done twice then, and counts once.

import { chunkOf, isMarked } from "../../core/marks.ts";
import { areLost, indexIn, leftoverMs, lostFrom } from "../../core/messages.ts";
import type { OutboxItem } from "../../ports/records.ts";
import type { Amendment, AmendView } from "../../ports/store.ts";
import type { Hearing } from "../hearing.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Emptiness } from "./emptiness.ts";
import { openItems } from "./open-items.ts";
import { messagesData, messagesIn, messagesKind, sentKind } from "./operation-items.ts";
import { reach } from "./reach.ts";

export interface KeptMessages {
  /** The broker has the messages of these; what is left of one is to be told still, and that alone. */
  keep(told: readonly ToldItem[]): Promise<void>;
  /** These were not taken: they come after whatever was due before then, and hide nobody. */
  putOff(items: readonly OutboxItem[], until: number): Promise<void>;
  /** Looks at those that were due by then, and hands on what is to be told again: after each slice, for they may be many. */
  look(dueBy: number, tell: (again: readonly OutboxItem[]) => void): Promise<void>;
}

export interface ToldItem {
  readonly item: OutboxItem;
  readonly left: readonly string[];
}

export interface KeptMessagesParts {
  readonly queue: string;
  /** Of all queues of operations: messages may have been handed on from one to another. */
  readonly emptiness: Pick<Emptiness, "look" | "seenAt">;
  readonly hearing: Pick<Hearing, "awayUntil">;
}

const slice = 50;
/** How soon it is looked again where the queues were not empty. */
const lookMs = 60_000;

export function keptMessages(
  around: Pick<Surroundings, "store" | "clock" | "ids" | "log" | "settings">,
  { queue, emptiness, hearing }: KeptMessagesParts,
): KeptMessages {
  const { store, clock, ids, log, settings } = around;
  const { republishAfterMs, republishMax } = settings;
  const kind = sentKind(queue);
  const queuesOf = reach(around);
  const patience = { silentMs: republishAfterMs, timesMax: republishMax };
  const soonMs = Math.min(lookMs, republishAfterMs / 2);

  /** Answers the item that is to be told again, if it is one. */
  function decide(item: OutboxItem, emptyAt: number, view: AmendView): Amendment<OutboxItem | null> {
    if (!view.outbox.has(item.id)) return { answer: null };
    const { bodies, times, sentAt = item.at - republishAfterMs } = messagesIn(item);
    const task = view.tasks.get(item.key);
    const left = bodies.filter((body) => !isCounted(item.key, body, view));
    if (task === undefined || left.length === 0) return { answer: null, outboxDone: [item.id] };
    const now = clock.now();
    const sent = { sentAt, times, activeAt: task.row.activeAt, heardSince: hearing.awayUntil(now) };
    const isLost = areLost(sent, emptyAt, now, patience);
    const next = isLost
      ? { kind: messagesKind(queue), at: now, data: messagesData({ bodies: left, times: times + 1 }) }
      : { kind, at: lookAgainAt(lostFrom(sent, patience), now), data: messagesData({ bodies: left, times, sentAt }) };
    const instead = { ...item, ...next, id: ids.next() };
    return { answer: isLost ? instead : null, outboxDone: [item.id], outbox: [instead] };
  }

  /** Those that are told once an hour are looked at in between: nobody may need them any more. */
  function lookAgainAt(mayBeLostAt: number, now: number): number {
    return Math.min(Math.max(mayBeLostAt, now + soonMs), now + republishAfterMs);
  }

  function split({ item, left }: ToldItem): readonly OutboxItem[] {
    const at = clock.now() + republishAfterMs;
    if (left.length === 0) return [{ ...item, id: ids.next(), kind, at }];
    const { bodies, times } = messagesIn(item);
    const had = bodies.filter((body) => !left.includes(body));
    return [
      { ...item, id: ids.next(), kind, at, data: messagesData({ bodies: had, times }) },
      // Behind all others that are left over: what is left of it may never be taken.
      { ...item, id: ids.next(), at: clock.now() - leftoverMs, data: messagesData({ bodies: left, times }) },
    ];
  }

  async function lookAt(item: OutboxItem, emptyAt: number): Promise<OutboxItem | null> {
    const { key: task } = item;
    const chunks = new Set(messagesIn(item).bodies.map((body) => chunkOf(indexIn(body) ?? 0)));
    const scope = { tasks: [task], outbox: [item.id], marks: [...chunks].map((chunk) => ({ task, chunk })) };
    const { answer } = await store.amend(scope, (view) => decide(item, emptyAt, view));
    if (answer !== null) complain(answer);
    return answer;
  }

  function complain(again: OutboxItem): void {
    const { bodies, times } = messagesIn(again);
    const what = { task: again.key, queue, count: bodies.length };
    if (times <= republishMax) log.warn("messages were not counted for long, and are told again", what);
    else log.warn("messages are not counted, however often they are told", { ...what, times: times - 1 });
  }

  /** Of the queues that a coordinator's messages may be in; the broker, and each of their logs, is asked once. */
  function emptyMoments(): (task: string) => Promise<number> {
    let looked: Promise<void> | null = null;
    const known = new Map<string, number>();
    return async (task) => {
      looked ??= emptiness.look();
      await looked;
      const at = known.get(task) ?? emptiness.seenAt(await queuesOf(task, queue));
      known.set(task, at);
      return at;
    };
  }

  return {
    async keep(told) {
      await store.amend({ outbox: told.map(({ item }) => item.id) }, ({ outbox }) => {
        // Another server may have told the same, and kept it.
        const mine = told.filter(({ item }) => outbox.has(item.id));
        return { answer: null, outboxDone: mine.map(({ item }) => item.id), outbox: mine.flatMap(split) };
      });
    },
    async putOff(items, until) {
      await store.amend({ outbox: items.map(({ id }) => id) }, ({ outbox }) => {
        const mine = items.filter(({ id }) => outbox.has(id));
        const later = mine.map((item) => ({ ...item, id: ids.next(), at: until }));
        return { answer: null, outboxDone: mine.map(({ id }) => id), outbox: later };
      });
    },
    async look(dueBy, tell) {
      const emptyAt = emptyMoments();
      for (let found = slice; found === slice; ) {
        const due = await store.find("outbox", { kind, dueBy, limit: slice });
        const again: OutboxItem[] = [];
        // Most of them are needed no more.
        for (const item of await openItems(store, due)) {
          const told = await lookAt(item, await emptyAt(item.key));
          if (told !== null) again.push(told);
        }
        tell(again);
        found = due.length;
      }
    },
  };
}

function isCounted(task: string, body: string, view: AmendView): boolean {
  const index = indexIn(body);
  return index !== null && isMarked(task, view.marks, index);
}
