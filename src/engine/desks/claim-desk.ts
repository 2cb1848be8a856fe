// Claiming for a worker, by its owner.

import { type Principal, requireJob, requireWrite } from "../../core/access.ts";
import { callerGone } from "../../core/caller-gone.ts";
import { Problem } from "../../core/problem.ts";
import type { ClaimedTask, TaskRecord, WorkerRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TaskDesk } from "./task-desk.ts";
import type { TaskView, TaskViews } from "./task-views.ts";
import type { WorkerDesk } from "./worker-desk.ts";

export interface ClaimedView extends TaskView {
  readonly leaseToken: string;
  readonly leaseUntil: number | null;
}

export interface ClaimWords {
  readonly worker: string;
  readonly limit: number;
  /** These tasks alone, as far as they are there to be claimed; then nothing is waited for. */
  readonly ids?: readonly string[] | undefined;
  readonly waitMs: number;
  /** Claimed and started in one move. */
  readonly start?: boolean;
  readonly signal?: AbortSignal;
  readonly key?: { readonly key: string; readonly bodyHash: string } | undefined;
}

export interface ClaimDesk {
  claim(who: Principal, words: ClaimWords): Promise<readonly ClaimedView[]>;
  /**
   * Which of these, that were left out of a claim, are ready for somebody, whoever may see them. Null where that cannot be
   * said now: what was claimed beside them has to be told all the same.
   */
  waiting(ids: readonly string[]): Promise<readonly string[] | null>;
  /** This very task; throws invalid-task-transition unless it is pending and the worker may serve it. */
  claimOne(who: Principal, id: string, worker: string): Promise<ClaimedView>;
  /** A task that is held, with its lease. */
  shown(view: TaskView): ClaimedView;
}

export interface ClaimDeskParts {
  readonly operations: Pick<Operations, "claim" | "take" | "takeMany" | "settle" | "leaseToken" | "catalog">;
  readonly tasks: TaskDesk;
  readonly views: TaskViews;
  readonly workers: WorkerDesk;
}

/** Claims under one key go one after the other: the second has to see what the first got. */
function turns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(place: string, act: () => Promise<T>): Promise<T> => {
    const mine = (last.get(place) ?? Promise.resolve()).then(act, act);
    last.set(place, mine);
    try {
      return await mine;
    } finally {
      if (last.get(place) === mine) last.delete(place);
    }
  };
}

const scopeOf = (who: Principal): string => `${who.user} claim`;

export function claimDesk(around: Surroundings, parts: ClaimDeskParts): ClaimDesk {
  const { store, clock } = around;
  const { operations, tasks, views, workers } = parts;
  const inTurn = turns();

  async function claim(who: Principal, words: ClaimWords): Promise<readonly ClaimedView[]> {
    const worker = await claimer(who, words.worker);
    const { key } = words;
    if (key === undefined) return take(who, worker, words);
    return inTurn(`${scopeOf(who)} ${key.key}`, async () => (await repeated(who, key)) ?? take(who, worker, words));
  }

  async function take(who: Principal, worker: WorkerRecord, words: ClaimWords): Promise<readonly ClaimedView[]> {
    const { signal } = words;
    const claimed = await claimedFor(worker, words);
    if (words.key !== undefined && claimed.length > 0) await remember(who, words.key, claimed);
    else if (signal?.reason === callerGone && claimed.length > 0) return giveBack(claimed);
    return Promise.all(claimed.map((task) => viewOf({ ...task, outcome: null })));
  }

  function claimedFor({ id }: WorkerRecord, words: ClaimWords): Promise<readonly ClaimedTask[]> {
    const { ids, limit, waitMs, start = false, signal } = words;
    if (ids !== undefined) return operations.takeMany({ ids, worker: id, assign: start });
    return operations.claim({ worker: id, limit, waitMs, assign: start, ...(signal && { signal }) });
  }

  /** Whoever asked has left, and has no name by which to ask again: nobody would ever hear of these. */
  async function giveBack(claimed: readonly ClaimedTask[]): Promise<[]> {
    const release = { type: "release", reason: "caller_gone" } as const;
    await Promise.all(
      claimed.map(({ card, row }) =>
        operations.settle(card.id, { worker: row.worker as string, attempt: row.attempt }, release),
      ),
    );
    return [];
  }

  /** A claim takes from all jobs of its worker, so the token has to be for all of them. */
  async function claimer(who: Principal, id: string): Promise<WorkerRecord> {
    requireWrite(who);
    const worker = await workers.owned(who, id);
    if (who.rooms !== null || who.jobs !== null) for (const job of worker.jobs.keys()) requireJob(who, job);
    return worker;
  }

  /** The tasks of the first answer, as far as they are still in the same hands. */
  async function repeated(who: Principal, key: NonNullable<ClaimWords["key"]>): Promise<readonly ClaimedView[] | null> {
    const first = await store.read("key", { scope: scopeOf(who), key: key.key });
    if (first === null) return null;
    if (first.bodyHash !== key.bodyHash) {
      throw new Problem("idempotency-conflict", `Idempotency key '${key.key}' was used with another body`);
    }
    const attempts = new Map(JSON.parse(first.answer) as [string, number][]);
    const records = await store.read("tasks", { ids: [...attempts.keys()] });
    const still = records.filter(({ card, row }) => row.attempt === attempts.get(card.id) && row.worker !== null);
    return Promise.all(still.map(viewOf));
  }

  async function remember(
    who: Principal,
    key: NonNullable<ClaimWords["key"]>,
    claimed: readonly ClaimedTask[],
  ): Promise<void> {
    const answer = JSON.stringify(claimed.map(({ card, row }) => [card.id, row.attempt]));
    const kept = { scope: scopeOf(who), ...key, answer, at: clock.now() };
    await store.amend({}, () => ({ answer: null, keys: [kept] }));
  }

  async function viewOf(record: TaskRecord): Promise<ClaimedView> {
    return shown(await views.view(record));
  }

  function shown(view: TaskView): ClaimedView {
    const { card, row } = view.record;
    const worker = operations.catalog.worker(row.worker ?? "");
    return {
      ...view,
      leaseToken: operations.leaseToken(card.id, { worker: row.worker ?? "", attempt: row.attempt }),
      leaseUntil: row.leasedUntil ?? sessionEnd(worker, clock.now()),
    };
  }

  return {
    claim,
    waiting: (ids) => stillWaiting(around, ids),
    async claimOne(who, id, workerId) {
      requireWrite(who);
      await tasks.record(who, id);
      const worker = await claimer(who, workerId);
      await operations.take(id, worker.id);
      return viewOf(await tasks.record(who, id));
    },
    shown,
  };
}

/** Claiming is no heartbeat, so the lease is what the worker's last beat gave it. */
function sessionEnd(worker: WorkerRecord | undefined, now: number): number | null {
  return worker === undefined ? null : Math.max(now, worker.session.seenAt) + worker.session.lostMs;
}

async function stillWaiting(
  { store, log }: Pick<Surroundings, "store" | "log">,
  ids: readonly string[],
): Promise<readonly string[] | null> {
  try {
    const records = ids.length === 0 ? [] : await store.read("tasks", { ids });
    return records.filter(({ row }) => row.state === "pending" && row.runAt === null).map(({ card }) => card.id);
  } catch (error) {
    log.warn("it could not be read which tasks that a claim left out still wait", { error });
    return null;
  }
}
