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
  const { store, bus } = around;

  /** It holds nothing, is gone, or takes tasks again by somebody's will. */
  async function isThrough(id: string): Promise<boolean> {
    const worker = catalog.worker(id);
    if (worker === undefined || isGivenUp(worker.session) || !worker.draining) return true;
    return (await store.find("held", { workers: [id], limit: 1 })).length === 0;
  }

  return async (item) => {
    const plan = planIn(item);
    const through = await Promise.all(plan.draining.map(isThrough));
    const still = plan.draining.filter((_, nth) => through[nth] === false);
    const next = plan.waiting.slice(0, Math.max(0, plan.atATime - still.length));
    const isLast = still.length + plan.waiting.length === 0;
    if (still.length === plan.draining.length && next.length === 0 && !isLast) return null;
    const { answer } = await store.amend<Stepped>({ workers: next, outbox: [item.id] }, (view) =>
      view.outbox.has(item.id) ? stepped(around, { plan, item, still, next }, view) : { answer: null },
    );
    if (next.length > 0) {
      await catalog.refresh();
      bus.publish("catalog");
    }
    return answer;
  };
}

interface Step {
  readonly plan: DrainPlan;
  readonly item: OutboxItem;
  /** Those that drain and are not through. */
  readonly still: readonly string[];
  /** Those whose turn it is. */
  readonly next: readonly string[];
}

function stepped(around: Surroundings, { plan, item, still, next }: Step, view: AmendView): Amendment<Stepped> {
  const by = { who: whoOf(plan), note: plan.note };
  const act = (now: number) => drainAct(by, now, plan.deadlineMs);
  const living = next.flatMap((id) => view.workers.get(id) ?? []).filter(({ session }) => !isGivenUp(session));
  const begun = living.map((worker) => workerAmendment(around, by, worker, act));
  const now: DrainPlan = {
    ...plan,
    waiting: plan.waiting.slice(next.length),
    draining: [...still, ...living.map(({ id }) => id)],
    done: [...plan.done, ...plan.draining.filter((id) => !still.includes(id)), ...goneOf(next, living)],
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

function goneOf(next: readonly string[], living: readonly WorkerRecord[]): readonly string[] {
  return next.filter((id) => !living.some((worker) => worker.id === id));
}
