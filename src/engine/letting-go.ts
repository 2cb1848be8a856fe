// What a worker lets go of moves in the same transaction that looks at its session, under one lock: a worker that came
// back meanwhile keeps what it took since, and one that comes back leaves nothing behind that nobody runs.

import { type ChildCount, childCount } from "../core/family.ts";
import type { Holder } from "../core/lease.ts";
import { isGivenUp, profileOf } from "../core/liveness.ts";
import { neverStarted, runsOf } from "../core/prefetch.ts";
import type { Move } from "../core/task.ts";
import { isFinal } from "../core/task-row.ts";
import type { OpenTask, OutboxItem, TaskCard, TaskWrite } from "../ports/records.ts";
import { type AmendView, rowsMax } from "../ports/store.ts";
import type { Effects } from "./effects.ts";
import { folding } from "./folding.ts";
import type { Held } from "./held.ts";
import type { Moves } from "./moves.ts";
import { countKind } from "./parent-count.ts";
import type { Surroundings } from "./surroundings.ts";

export type LossReason = "session" | "removed";

/** An attempt that a worker says it still has. */
export interface HeldAttempt extends Pick<Holder, "attempt"> {
  readonly task: string;
}

/** What a worker kept in hand beyond what it runs. With more than fits into one look, all of it may have been started. */
function unstarted(view: AmendView, worker: string, about: string | null): ReadonlySet<string> {
  const runs = runsOf(about);
  const theirs = [...view.tasks.values()].map(({ row }) => row).filter((row) => row.worker === worker);
  if (runs === null || theirs.length > rowsMax / 2) return new Set();
  return new Set(neverStarted(theirs, runs).map(({ id }) => id));
}

/** The part of an amendment that concerns the tasks. */
export interface Leaving {
  readonly cards: readonly TaskCard[];
  readonly tasks: readonly TaskWrite[];
  readonly outbox: readonly OutboxItem[];
  /** Some moved, and there may be more than fits into one transaction. */
  readonly more: boolean;
}

/** Both look at a view whose scope has the worker in `workers` and in `heldBy`. */
export interface LettingGo {
  /** A session that was given up loses all it holds; one that lives loses nothing. */
  lost(view: AmendView, worker: string, reason: LossReason): Leaving;
  /** What the worker does not list never reached it, or is forgotten: it goes back, and nothing counts against it. */
  unlisted(view: AmendView, worker: string, holds: readonly HeldAttempt[]): Leaving;
  /** All that it holds of what the view shows goes back, because somebody wants it so; nothing counts against it. */
  released(view: AmendView, worker: string, reason: string, actor: string): Leaving;
  /** Follows the commit. */
  committed(leaving: Leaving): void;
}

export function lettingGo(
  { ids, clock, settings }: Surroundings,
  { moves, held, effects }: { readonly moves: Moves; readonly held: Held; readonly effects: Effects },
): LettingGo {
  function leave(
    view: AmendView,
    worker: string,
    moveOf: (task: OpenTask) => Move | null,
    actor: string | null = null,
  ): Leaving {
    const known = view.workers.get(worker);
    const profile = known === undefined ? null : profileOf(settings.profiles, known.profile);
    const theirs = [...view.tasks.values()].filter(({ row }) => row.worker === worker);
    const moved = theirs.flatMap((task) => {
      const move = moveOf(task);
      if (move === null) return [];
      const fold = folding(task);
      fold.apply(move, { ...moves.circumstances(task, null, actor), profile });
      return [{ card: task.card, write: fold.write() as TaskWrite }];
    });
    return {
      cards: moved.map(({ card }) => card),
      tasks: moved.map(({ write }) => write),
      outbox: countNotes(moved),
      // Some of a full slice may have ended while we waited for its locks, so only one well below the limit is the last.
      more: moved.length > 0 && theirs.length > rowsMax / 2,
    };
  }

  /** The parents of children that end here are not under the lock, so their counts wait in the outbox. */
  function countNotes(moved: readonly { readonly card: TaskCard; readonly write: TaskWrite }[]): OutboxItem[] {
    const counts = new Map<string, ChildCount>();
    for (const { card, write } of moved) {
      if (card.parent === null || !isFinal(write.next.state)) continue;
      const before = counts.get(card.parent) ?? { done: 0, failed: 0 };
      const add = childCount(write.next.state);
      counts.set(card.parent, { done: before.done + add.done, failed: before.failed + add.failed });
    }
    const at = clock.now();
    return [...counts].map(([key, count]) => ({
      id: ids.next(),
      kind: countKind,
      key,
      data: JSON.stringify(count),
      at,
    }));
  }

  return {
    lost(view, worker, reason) {
      const known = view.workers.get(worker);
      if (known !== undefined && !isGivenUp(known.session)) return leave(view, worker, () => null);
      const waiting = unstarted(view, worker, known?.about ?? null);
      return leave(view, worker, ({ row }) =>
        waiting.has(row.id) ? { type: "release", reason: "not_started" } : { type: "expire", reason },
      );
    },
    unlisted(view, worker, holds) {
      const listed = new Map(holds.map(({ task, attempt }) => [task, attempt]));
      return leave(view, worker, ({ row }) =>
        listed.get(row.id) === row.attempt ? null : { type: "release", reason: "not_held" },
      );
    },
    released: (view, worker, reason, actor) => leave(view, worker, () => ({ type: "release", reason }), actor),
    committed({ cards, tasks }) {
      cards.forEach((card, index) => {
        held.drop(card.id);
        effects.moved(card, tasks[index] as TaskWrite);
      });
    },
  };
}
