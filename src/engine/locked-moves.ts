// Moves that can meet another server, or concern more than one row: cancels, sweeps, calls without a copy in hand,
// children that count on their parents. They lock first, look, decide, and write, many of them in one transaction.

import { type ChildCount, childCount } from "../core/family.ts";
import { Problem } from "../core/problem.ts";
import type { Circumstances, Move } from "../core/task.ts";
import { isFinal } from "../core/task-row.ts";
import type { AuditEntry, OpenTask, OutboxItem, TaskCard, TaskWrite } from "../ports/records.ts";
import type { Amendment, AmendView } from "../ports/store.ts";
import type { Catalog } from "./catalog.ts";
import type { Effects } from "./effects.ts";
import { type OpenBeside, withFamilies } from "./families.ts";
import { type Folding, folding, type MovedTask, type Renewal } from "./folding.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import type { Held } from "./held.ts";
import type { Surroundings } from "./surroundings.ts";

/** What to do with a task now that it is seen under its lock. */
export type Choice =
  | {
      /** Made before, in the same write. */
      readonly first?: Move | undefined;
      readonly move: Move;
      readonly around: Circumstances;
      readonly outbox?: readonly OutboxItem[];
      /** Whose act it is, where that is worth an entry. */
      readonly audit?: AuditEntry | undefined;
    }
  | { readonly renew: Renewal }
  | "leave";

export interface LockedMove {
  readonly card: TaskCard;
  /** The task is taken into somebody's hands: left as it is where its lane has no room. */
  readonly takesPlace?: boolean;
  /** May throw a Problem for this caller alone. `parent` is there when the task has one and it is open. */
  choose(task: OpenTask, parent: OpenTask | null): Choice;
}

/** The task afterwards; "gone" when it is not open any more. */
export type LockedAnswer = { readonly task: MovedTask; readonly changed: boolean } | "gone" | Problem;

export function lockedMoves(
  around: Surroundings,
  parts: {
    readonly catalog: Pick<Catalog, "lane">;
    readonly held: Held;
    readonly effects: Effects;
    readonly width: number;
  },
): GroupCommit<LockedMove, LockedAnswer> {
  const { store, clock, ids, random, telemetry, settings } = around;

  async function run(moves: readonly LockedMove[]): Promise<readonly LockedAnswer[]> {
    const tasks = [...new Set(moves.map(({ card }) => card.id))];
    const parents = [...new Set(moves.flatMap(({ card }) => card.parent ?? []))];
    const lanes = [...new Set(moves.flatMap(({ card, takesPlace }) => (takesPlace ? card.lane : [])))];
    const startedAt = clock.now();
    const { answer } = await telemetry.span("leadhand.amend", { moves: moves.length }, () =>
      store.amend(
        { parents, tasks, lanes },
        withFamilies((view, openBeside) => decide(moves, view, openBeside)),
      ),
    );
    telemetry.committed("amend", moves.length, clock.now() - startedAt);
    for (const { card, write } of answer.writes) {
      parts.held.drop(card.id);
      parts.effects.moved(card, write);
    }
    parts.effects.noted(answer.outbox);
    return answer.answers;
  }

  function decide(moves: readonly LockedMove[], view: AmendView, openBeside: OpenBeside): Amendment<Answer> {
    const folds = new Map<string, Folding>();
    const foldOf = (id: string | null): Folding | null => {
      const task = id === null ? undefined : view.tasks.get(id);
      if (id === null || task === undefined) return null;
      const fold = folds.get(id) ?? folding(task);
      folds.set(id, fold);
      return fold;
    };
    /** Children that end in this very transaction are open no more. */
    const hasOpenChildren = (id: string): boolean => {
      const isOpen = ({ card, row }: OpenTask) =>
        card.parent === id && !isFinal((folds.get(card.id)?.task.row ?? row).state);
      return [...view.tasks.values()].some(isOpen) || openBeside(id);
    };
    const rooms = new Map(view.rooms);
    const batch: Batch = { foldOf, hasOpenChildren, rooms, outbox: [], audit: [], counts: new Map() };
    const answers = moves.map((move) => one(move, batch));
    for (const [parent, count] of batch.counts) countOn(foldOf(parent), count, batch);
    const writes = [...folds.values()].flatMap((fold) => {
      const write = fold.write();
      return write === null ? [] : [{ card: fold.task.card, write }];
    });
    const { outbox, audit } = batch;
    return { answer: { answers, writes, outbox }, tasks: writes.map(({ write }) => write), outbox, audit };
  }

  /** Children of one batch count on their parent in one move. A parent that this closes counts on its own, later. */
  function countOn(parent: Folding | null, count: ChildCount, { outbox, hasOpenChildren }: Batch): void {
    if (parent === null || isFinal(parent.task.row.state)) return;
    const { card } = parent.task;
    const now = clock.now();
    const open = () => hasOpenChildren(card.id);
    const job = parts.catalog.lane(card.lane)?.job;
    const around = { now, policy: card.policy, profile: null, jitter: random.fraction(), job, hasOpenChildren: open };
    const { next } = parent.apply({ type: "count", ...count }, around);
    if (card.parent === null || !isFinal(next.state)) return;
    const data = JSON.stringify(childCount(next.state));
    outbox.push({ id: ids.next(), kind: "count", key: card.parent, data, at: now });
  }

  return groupCommit({
    run,
    weightMax: settings.batchMax,
    width: parts.width,
    weigh: ({ card }) => (card.parent ? 2 : 1),
  });
}

interface Answer {
  readonly answers: readonly LockedAnswer[];
  readonly writes: readonly { readonly card: TaskCard; readonly write: TaskWrite }[];
  readonly outbox: readonly OutboxItem[];
}

interface Batch {
  foldOf(id: string | null): Folding | null;
  hasOpenChildren(id: string): boolean;
  /** By lane, for those that have a limit. */
  readonly rooms: Map<number, number>;
  readonly outbox: OutboxItem[];
  readonly audit: AuditEntry[];
  readonly counts: Map<string, ChildCount>;
}

function one({ card, choose, takesPlace }: LockedMove, batch: Batch): LockedAnswer {
  const { foldOf, hasOpenChildren, rooms, outbox, audit, counts } = batch;
  const fold = foldOf(card.id);
  if (fold === null || isFinal(fold.task.row.state)) return "gone";
  try {
    const choice = choose(fold.task, foldOf(card.parent)?.task ?? null);
    if (choice === "leave") return { task: fold.task, changed: false };
    if ("renew" in choice) {
      fold.renew(choice.renew);
      return { task: fold.task, changed: true };
    }
    const room = takesPlace ? rooms.get(card.lane) : undefined;
    if (room !== undefined && room <= 0) return { task: fold.task, changed: false };
    const open = () => hasOpenChildren(card.id);
    if (choice.first !== undefined) fold.apply(choice.first, choice.around);
    const { next } = fold.apply(choice.move, { ...choice.around, hasOpenChildren: open });
    if (room !== undefined) rooms.set(card.lane, room - 1);
    if (choice.outbox !== undefined) outbox.push(...choice.outbox);
    if (choice.audit !== undefined) audit.push(choice.audit);
    if (card.parent !== null && isFinal(next.state)) {
      const before = counts.get(card.parent) ?? { done: 0, failed: 0 };
      const add = childCount(next.state);
      counts.set(card.parent, { done: before.done + add.done, failed: before.failed + add.failed });
    }
    return { task: fold.task, changed: true };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
