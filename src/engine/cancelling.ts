// Cancelling, with everything below. Each cancel leaves a note in the outbox, in its own transaction, so that a crash
// before the next level was reached is finished by the sweep.

import { checkHolder, type Holder } from "../core/lease.ts";
import { Problem } from "../core/problem.ts";
import type { AuditEntry, OutboxItem } from "../ports/records.ts";
import { rowsMax } from "../ports/store.ts";
import { cascadeNote } from "./cascade-note.ts";
import type { MovedTask } from "./folding.ts";
import type { LockedAnswer } from "./locked-moves.ts";
import { type Moves, refusal } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";

export interface CancelRequest {
  readonly id: string;
  readonly actor: string | null;
  /** Cancels only while the task is in these hands. */
  readonly holder?: Holder;
  readonly reason?: string | null;
  /** A text to keep as the task's error. */
  readonly note?: string | null;
  /** Written with it: one for the whole family. */
  readonly audit?: AuditEntry | undefined;
}

export interface Cancelled {
  readonly task: MovedTask;
  /** How many children went with it, at every depth. */
  readonly children: number;
}

export interface Cancelling {
  /** Throws task-not-found, or invalid-task-transition when it is final already. */
  cancel(request: CancelRequest): Promise<Cancelled>;
  /** Finishes cascades that were begun. Answers how many children were cancelled. */
  cascade(items: readonly OutboxItem[]): Promise<number>;
}

export function cancelling(around: Surroundings, moves: Moves): Cancelling {
  const { store } = around;

  /** Every task that is cancelled leaves a note of its own: which of its siblings ended before is not known. */
  function cancelOne(request: CancelRequest, item: OutboxItem): Promise<LockedAnswer> {
    const { id, actor, holder, reason = null, note = null, audit } = request;
    return moves.locked(id, (task) => {
      if (holder !== undefined) checkHolder(task.row, holder);
      const move = { type: "cancel", reason, note } as const;
      return { move, around: moves.circumstances(task, null, actor), outbox: [item], audit };
    });
  }

  async function cancel(request: CancelRequest): Promise<Cancelled> {
    const item = cascadeNote(around, request.id);
    const answer = await cancelOne(request, item);
    if (answer instanceof Problem) throw answer;
    if (answer === "gone") throw await whyGone(request);
    return { task: answer.task, children: await cascade([item]) };
  }

  async function whyGone({ id, actor, holder }: CancelRequest): Promise<Problem> {
    const [record] = await store.read("tasks", { ids: [id] });
    return refusal({ id, fence: holder === undefined ? { anyone: actor } : { holder }, move: "cancel" }, record);
  }

  async function cascade(items: readonly OutboxItem[]): Promise<number> {
    const parents = items.map(({ key }) => key);
    let cancelled = 0;
    for (;;) {
      const children = await store.find("children", { parents, limit: rowsMax });
      if (children.length === 0) break;
      cancelled += await cancelLevel(children);
    }
    await store.amend({}, () => ({ answer: null, outboxDone: items.map(({ id }) => id) }));
    return cancelled;
  }

  async function cancelLevel(children: readonly string[]): Promise<number> {
    const notes = children.map((id) => cascadeNote(around, id));
    const request = { actor: null, reason: "parent_cancelled" };
    const answers = await Promise.all(notes.map((item) => cancelOne({ ...request, id: item.key }, item)));
    const failed = answers.find((answer) => answer instanceof Problem);
    if (failed !== undefined) throw failed;
    return answers.filter((answer) => answer !== "gone").length + (await cascade(notes));
  }

  return { cancel, cascade };
}
