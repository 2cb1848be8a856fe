// Whose word about a task counts. A lease token proves the attempt it was made for. Without one the owner of the worker
// that holds the task is believed, but only while the task has had one holder in its life: after that, a late word of
// the first could be taken for one of the second. Who held the task once is told that it is too late, not that it is
// none of his business: the documents' clients stop for good when they are forbidden something.

import { isSuperuser, type Principal } from "../../core/access.ts";
import { type Holder, meantHolder, type Proof } from "../../core/lease.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";

export interface Holders {
  /** The attempt to be fenced by, current or not; "override" for a superuser who brings no proof. Throws
   * forbidden, or lease-lost or lease-token-required where the proof does not tell which attempt is meant. */
  of(who: Principal, task: TaskRecord, proof: Proof): Promise<Holder | "override">;
  /** The same, for what only a holder can do: a superuser who brings no proof speaks for whoever holds the task. */
  holder(who: Principal, task: TaskRecord, proof: Proof): Promise<Holder>;
  owns(who: Principal, worker: string): Promise<boolean>;
  /** Whose the worker is; null where it is nobody's, or not known any more. */
  ownerOf(worker: string): Promise<string | null>;
  /** Whether one of the caller's workers has or had the task: what it was given is no secret to him. */
  hadIt(who: Principal, task: TaskRecord): Promise<boolean>;
}

export interface HoldersParts {
  readonly catalog: Catalog;
  isLeaseToken(task: string, holder: Holder, token: string): boolean;
}

/** How far back in a history former holders are looked for. */
const eventsMax = 500;

export function holders({ store }: Surroundings, { catalog, isLeaseToken }: HoldersParts): Holders {
  async function ownerOf(worker: string): Promise<string | null> {
    const known = catalog.worker(worker) ?? (await store.read("workers", { ids: [worker] }))[0];
    return known?.owner ?? null;
  }

  async function owns(who: Principal, worker: string): Promise<boolean> {
    return (await ownerOf(worker)) === who.user;
  }

  async function of(who: Principal, task: TaskRecord, proof: Proof): Promise<Holder | "override"> {
    const { attempt, leaseToken } = proof;
    const { worker, attempt: newest } = task.row;
    const current = worker === null ? null : { worker, attempt: newest };
    if (leaseToken !== undefined) {
      const proven = await provenBy(task, current, leaseToken);
      if (proven !== null) return attempt === undefined ? proven : { ...proven, attempt };
    }
    if (leaseToken === undefined && attempt === undefined && isSuperuser(who)) return "override";
    if (current !== null && (isSuperuser(who) || (await owns(who, current.worker))))
      return meantHolder(task.card.id, current, proof);
    if (isSuperuser(who)) throw new Problem("lease-lost", `Task ${task.card.id} is in nobody's hands`);
    const former = await formerOf(who, task);
    if (former === null)
      throw new Problem("forbidden", `Task ${task.card.id} is not in the hands of one of your workers`);
    return former;
  }

  async function provenBy(task: TaskRecord, current: Holder | null, token: string): Promise<Holder | null> {
    const { id } = task.card;
    if (current !== null && isLeaseToken(id, current, token)) return current;
    return (await pastOf(task)).find((holder) => isLeaseToken(id, holder, token)) ?? null;
  }

  async function formerOf(who: Principal, task: TaskRecord): Promise<Holder | null> {
    for (const holder of await pastOf(task)) if (await owns(who, holder.worker)) return holder;
    return null;
  }

  /** Everyone who held the task, newest first. */
  async function pastOf({ card, row }: TaskRecord): Promise<Holder[]> {
    if (row.attempt === 0) return [];
    const { items } = await store.read("events", { task: card.id, limit: eventsMax, offset: 0 });
    return items
      .filter(({ type }) => type === "task.claimed" || type === "task.assigned")
      .flatMap(({ worker, attempt }) => (worker === null ? [] : [{ worker, attempt }]))
      .reverse();
  }

  async function holder(who: Principal, task: TaskRecord, proof: Proof): Promise<Holder> {
    const found = await of(who, task, proof);
    if (found !== "override") return found;
    const { worker, attempt } = task.row;
    if (worker === null) throw new Problem("invalid-task-transition", `Task ${task.card.id} is in nobody's hands`);
    return { worker, attempt };
  }

  return { of, holder, owns, ownerOf, hadIt: async (who, task) => (await formerOf(who, task)) !== null };
}
