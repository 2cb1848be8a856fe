// The one door through which a task changes. A task this server handed out is decided on its copy and joins the next
// exchange; everything else, and whatever that copy cannot answer, goes through the locked path, which sees the truth.

import { checkHolder, type Holder } from "../core/lease.ts";
import { profileOf } from "../core/liveness.ts";
import { defaultMaxRequeues } from "../core/policy.ts";
import { Problem } from "../core/problem.ts";
import type { Circumstances, Move, MoveType } from "../core/task.ts";
import { isFinal } from "../core/task-row.ts";
import type { AuditEntry, OpenTask, OutboxItem, TaskCard, TaskRecord } from "../ports/records.ts";
import { cascadeNote } from "./cascade-note.ts";
import type { Catalog } from "./catalog.ts";
import type { Told } from "./exchange-load.ts";
import type { Decision, Exchanger } from "./exchanger.ts";
import type { MovedTask } from "./folding.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Held } from "./held.ts";
import { withKnownHolder } from "./known-holder.ts";
import type { Choice, LockedAnswer, LockedMove } from "./locked-moves.ts";
import { movesByExchange } from "./moves-by-exchange.ts";
import { operationItems } from "./publishing/operation-items.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whose word it is. `holder` is fenced; `anyone` was authorised by the door and is recorded as the actor. */
export type Fence =
  | { readonly holder: Holder }
  | { readonly anyone: string | null; readonly audit?: AuditEntry | undefined };

export interface MoveRequest {
  readonly id: string;
  readonly fence: Fence;
  /** Cancels take their own way, which leads on to the task's children: see cancelling.ts. */
  readonly move: Exclude<Move, { readonly type: "cancel" }>;
  /** Whoever tells only the end of an attempt has begun it too: one write, and an event for each. */
  readonly starts?: boolean;
}

export interface Moves {
  /**
   * The short way, which nearly every move takes: the move joins the next exchange and `told` hears of it after the
   * commit. False: it has to go the other way, by `move`, and nothing has happened yet. Throws what `move` rejects with
   * where the request itself is at fault.
   */
  join<R extends MoveRequest>(request: R, told: Told<R>): boolean;
  /** Resolves with the task after its commit; throws the Problem that refuses it. */
  move(request: MoveRequest): Promise<MovedTask>;
  /** Under the lock, one choice per task; a missing or final task answers "gone". See `LockedMove.takesPlace`. */
  locked(id: string, choose: LockedMove["choose"], takesPlace?: boolean): Promise<LockedAnswer>;
  circumstances(task: OpenTask, worker: string | null, actor?: string | null): Circumstances;
}

export function moves(
  around: Surroundings,
  parts: {
    readonly catalog: Catalog;
    readonly held: Held;
    readonly exchanger: Exchanger;
    readonly locked: GroupCommit<LockedMove, LockedAnswer>;
  },
): Moves {
  const { store, clock, random, settings } = around;
  const { catalog, held, exchanger } = parts;
  const exchange = movesByExchange({ held, exchanger, decide, textBytesMax: settings.payloadBytesMax });
  const lock = withKnownHolder(catalog, parts.locked.call);
  const looks = new Map<string, Promise<TaskCard | undefined>>();

  function circumstances(task: OpenTask, worker: string | null, actor: string | null = null): Circumstances {
    const profile = worker === null ? undefined : catalog.worker(worker)?.profile;
    const { policy } = task.card;
    return {
      now: clock.now(),
      policy: settings.maxRequeues === defaultMaxRequeues ? policy : { maxRequeues: settings.maxRequeues, ...policy },
      profile: profile === undefined ? null : profileOf(settings.profiles, profile),
      jitter: random.fraction(),
      actor,
      job: catalog.lane(task.card.lane)?.job,
    };
  }

  async function move(request: MoveRequest): Promise<MovedTask> {
    const card = held.get(request.id)?.card;
    return (await exchange.move(request)) ?? moveLocked(request, card);
  }

  function decide(task: OpenTask, { fence, move, starts }: MoveRequest): Decision {
    if ("holder" in fence) checkHolder(task.row, fence.holder);
    const first = starts === true && task.row.state === "claimed" ? ({ type: "start" } as const) : undefined;
    return { first, move, around: circumstances(task, task.row.worker, "anyone" in fence ? fence.anyone : null) };
  }

  function chosen(task: OpenTask, request: MoveRequest, outbox: readonly OutboxItem[] = []): Choice {
    return { ...decide(task, request), outbox, audit: auditOf(request.fence) };
  }

  async function moveLocked(request: MoveRequest, known: TaskCard | undefined): Promise<MovedTask> {
    const card = known ?? (await cardOf(request.id));
    if (card === undefined) throw new Problem("task-not-found", `Task ${request.id} does not exist`);
    if (request.move.type === "start" && card.parent !== null) return startChild(request, card, card.parent);
    // There may be many of them: they are made before anything is locked.
    const outbox = operationItems(around, card.id, request.move);
    return answered(request, await lock({ card, choose: (task) => chosen(task, request, outbox) }));
  }

  async function answered(request: MoveRequest, answer: LockedAnswer): Promise<MovedTask> {
    if (answer instanceof Problem) throw answer;
    if (answer !== "gone") return answer.task;
    const [record] = await store.read("tasks", { ids: [request.id] });
    throw refusal({ ...request, move: request.move.type }, record);
  }

  /** Between claim and start its parent may have been cancelled: then it is cancelled too, and does not run. */
  async function startChild(request: MoveRequest, card: TaskCard, parentId: string): Promise<MovedTask> {
    const [parent] = await store.read("tasks", { ids: [parentId] });
    const state = parent?.row.state;
    const choose = (task: OpenTask, open: OpenTask | null): Choice => {
      if (state === "cancelled") {
        const move = { type: "cancel", reason: "parent_cancelled" } as const;
        return { move, around: circumstances(task, null), outbox: [cascadeNote(around, task.card.id)] };
      }
      // It was open a moment ago and is not any more: look again.
      if (state !== undefined && !isFinal(state) && open === null) return "leave";
      return chosen(task, request);
    };
    const answer = await lock({ card, choose });
    if (typeof answer === "object" && "changed" in answer && !answer.changed)
      return startChild(request, card, parentId);
    const task = await answered(request, answer);
    if (task.row.state !== "cancelled") return task;
    throw new Problem("invalid-task-transition", `Task ${card.id} is cancelled, as its parent is; it cannot start`);
  }

  async function locked(id: string, choose: LockedMove["choose"], takesPlace = false): Promise<LockedAnswer> {
    const card = held.get(id)?.card ?? (await cardOf(id));
    if (card === undefined) return "gone";
    return lock({ card, choose, takesPlace: takesPlace && catalog.lane(card.lane)?.maxRunning != null });
  }

  /** Callers of one task share one look, so that they go on in the order in which they came. */
  function cardOf(id: string): Promise<TaskCard | undefined> {
    const known = looks.get(id);
    if (known !== undefined) return known;
    const look = store
      .read("tasks", { ids: [id] })
      .then(([record]) => record?.card)
      .finally(() => looks.delete(id));
    looks.set(id, look);
    return look;
  }

  return { join: exchange.join, move, locked, circumstances };
}

function auditOf(fence: Fence): AuditEntry | undefined {
  return "anyone" in fence ? fence.audit : undefined;
}

/** Why a task that is not open could not move. */
export function refusal(
  { id, fence, move }: { readonly id: string; readonly fence: Fence; readonly move: MoveType },
  record: TaskRecord | undefined,
): Problem {
  if (record === undefined) return new Problem("task-not-found", `Task ${id} does not exist`);
  const { worker, attempt, state } = record.row;
  if ("holder" in fence && (worker !== fence.holder.worker || attempt !== fence.holder.attempt)) {
    return new Problem("lease-lost", `Task ${id} is ${state}; attempt ${fence.holder.attempt} no longer counts`);
  }
  if (isFinal(state)) return new Problem("invalid-task-transition", `Task ${id} is ${state}; it cannot ${move}`);
  return new Problem("store-unavailable", `Task ${id} is changing hands`);
}
