// One plan to drain many workers, some at a time, and its steps. A plan is an item of the outbox that each step replaces by
// another, so that any server may carry it on and no step is done twice.

import type { Principal } from "../../core/access.ts";
import { isGivenUp } from "../../core/liveness.ts";
import type { AuditEntry, OutboxItem, WorkerRecord } from "../../ports/records.ts";
import type { Amendment, AmendView } from "../../ports/store.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import type { By } from "./command.ts";
import { drainAct, workerAmendment } from "./control.ts";

export interface DrainPlan {
  readonly id: string;
  /** `key=value` */
  readonly label: string;
  readonly atATime: number;
  /** How long each of them has. */
  readonly deadlineMs: number | null;
  readonly note: string | null;
  readonly by: string;
  /** Of who began it. */
  readonly token: string | null;
  readonly at: number;
  readonly waiting: readonly string[];
  readonly draining: readonly string[];
  readonly done: readonly string[];
}

export const planKind = "drain";

/** Of those who wait, in one step. */
const lookedAtMax = 1_000;

/** What becomes of a plan: the item that stands for it now; "finished"; null where there was nothing to do. */
export type Stepped = OutboxItem | "finished" | null;

export function planIn({ data }: OutboxItem): DrainPlan {
  return JSON.parse(data as string) as DrainPlan;
}

export function itemOf({ ids }: Pick<Surroundings, "ids">, plan: DrainPlan): OutboxItem {
  return { id: ids.next(), kind: planKind, key: plan.id, data: JSON.stringify(plan), at: plan.at };
}

export function planLine(around: Surroundings, action: string, { who, note }: By, plan: DrainPlan): AuditEntry {
  const { id, label, atATime, deadlineMs, waiting, draining, done } = plan;
  const data = { label, atATime, deadlineMs, waiting: waiting.length, draining: draining.length, done: done.length };
  return auditEntry(around, who, { action, kind: "drain", target: id, note, data });
}

export function drainStep(around: Surroundings, catalog: Catalog): (item: OutboxItem) => Promise<Stepped> {
  const { store, bus, clock, settings } = around;

  /** It is gone, takes tasks again by somebody's will, or holds nothing and will be given nothing. */
  function isThrough(worker: WorkerRecord | undefined, isIdle: boolean): boolean {
    const drain = isGone(worker) ? null : (worker?.orders.drain ?? null);
    if (drain === null) return true;
    // Until its next pulse another server may not know of the drain, and a claim may be on its way for a while after.
    return isIdle && clock.now() >= drain.at + 2 * settings.pulseMs;
  }

  return async (item) => {
    const plan = planIn(item);
    const load = await store.read("load", { workers: plan.draining, lanes: [] });
    const idle = new Set(plan.draining.filter((id) => !load.workers.has(id)));
    const maybe = plan.draining.filter((id) => isThrough(catalog.worker(id), idle.has(id)));
    const next = nextOf(plan, maybe.length, (id) => isGone(catalog.worker(id)));
    const isLast = plan.draining.length + plan.waiting.length === 0;
    if (maybe.length + next.length === 0 && !isLast) return null;
    // What this server knows of the workers may be old, so it only says whom to look at.
    const { answer } = await store.amend<Stepped>({ workers: [...maybe, ...next], outbox: [item.id] }, (view) => {
      if (!view.outbox.has(item.id)) return { answer: null };
      const through = new Set(maybe.filter((id) => isThrough(view.workers.get(id), idle.has(id))));
      const turn = nextOf({ ...plan, waiting: next }, through.size, (id) => isGone(view.workers.get(id)));
      if (through.size + turn.length === 0 && !isLast) return { answer: null };
      return stepped(around, { plan, item, through, turn }, view);
    });
    if (answer !== null) {
      await catalog.refresh();
      bus.publish("catalog");
    }
    return answer;
  };
}

function isGone(worker: WorkerRecord | undefined): boolean {
  return worker === undefined || isGivenUp(worker.session);
}

/** Those who wait, as far as there is room when so many are through; who is gone needs none. */
function nextOf(plan: DrainPlan, through: number, isGone: (id: string) => boolean): readonly string[] {
  const { atATime, draining, waiting } = plan;
  let room = atATime - draining.length + through;
  let count = 0;
  for (const id of waiting.slice(0, lookedAtMax)) {
    if (!isGone(id)) room -= 1;
    if (room < 0) break;
    count += 1;
  }
  return waiting.slice(0, count);
}

interface Step {
  readonly plan: DrainPlan;
  readonly item: OutboxItem;
  /** Those among the draining that are done. */
  readonly through: ReadonlySet<string>;
  /** Those whose turn it is. */
  readonly turn: readonly string[];
}

function stepped(around: Surroundings, { plan, item, through, turn }: Step, view: AmendView): Amendment<Stepped> {
  const by = { who: whoOf(plan), note: plan.note };
  const act = (now: number) => drainAct(by, now, plan.deadlineMs);
  const living = turn.flatMap((id) => view.workers.get(id) ?? []).filter(({ session }) => !isGivenUp(session));
  const begun = living.map((worker) => workerAmendment(around, by, worker, act));
  const still = plan.draining.filter((id) => !through.has(id));
  const now: DrainPlan = {
    ...plan,
    waiting: plan.waiting.slice(turn.length),
    draining: [...still, ...living.map(({ id }) => id)],
    done: [...plan.done, ...through, ...goneOf(turn, living)],
  };
  const isOver = now.waiting.length + now.draining.length === 0;
  const following = itemOf(around, now);
  return {
    answer: isOver ? "finished" : following,
    workers: begun.flatMap(({ workers = [] }) => workers),
    commands: begun.flatMap(({ commands = [] }) => commands),
    workerEvents: begun.flatMap(({ workerEvents = [] }) => workerEvents),
    audit: [
      ...begun.flatMap(({ audit = [] }) => audit),
      ...(isOver ? [planLine(around, "drain.finish", by, now)] : []),
    ],
    outbox: isOver ? [] : [following],
    outboxDone: [item.id],
  };
}

/** What is done later is done in the name of who began it. */
function whoOf({ by, token }: DrainPlan): Principal {
  return { user: by, token, role: "admin", rooms: null, jobs: null };
}

function goneOf(turn: readonly string[], living: readonly WorkerRecord[]): readonly string[] {
  return turn.filter((id) => !living.some((worker) => worker.id === id));
}
