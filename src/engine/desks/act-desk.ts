// Cancelling or retrying everything that a query picks, by someone: of that, what is his to cancel or retry.

import { isSuperuser, type Principal, requireWrite } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import type { ActPlan } from "../control/act-plan.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type ActPerformerParts, actPerformers } from "./act-performers.ts";
import { actRuns } from "./act-runs.ts";
import { pageOf } from "./page.ts";
import type { TaskDesk } from "./task-desk.ts";
import { taskPicks } from "./task-picks.ts";
import type { TaskCount } from "./task-search.ts";

export interface ActWords {
  readonly act: ActPlan["act"];
  readonly q: string;
  readonly note: string | null;
  /** Refused where more are picked than this. */
  readonly expect: number | null;
}

export interface ActDesk {
  begin(who: Principal, words: ActWords): Promise<ActPlan>;
  /** The latest first. */
  list(who: Principal, page: PageQuery): Promise<Page<ActPlan>>;
  get(who: Principal, id: string): Promise<ActPlan>;
  stop(who: Principal, id: string): Promise<ActPlan>;
  /** Returns when no step of an act is under way. */
  quiet(): Promise<void>;
}

export interface ActDeskParts extends ActPerformerParts {
  readonly operations: Pick<Operations, "acts" | "catalog">;
  readonly tasks: TaskDesk;
}

export function actDesk(around: Surroundings, parts: ActDeskParts): ActDesk {
  const { operations, tasks } = parts;
  const { acts } = operations;
  const pickOf = taskPicks(operations.catalog);
  const runs = actRuns(around, { acts, pickOf, perform: actPerformers(around, parts) });
  acts.attend(() => runs.wake());

  /** All of them for whoever sees all rooms and jobs; for anybody else his own, of what he sees. */
  function isSeen(who: Principal, { by }: ActPlan): boolean {
    if (isSuperuser(who) || (who.rooms === null && who.jobs === null)) return true;
    return by.user === who.user && isWithin(by.rooms, who.rooms) && isWithin(by.jobs, who.jobs);
  }

  async function get(who: Principal, id: string): Promise<ActPlan> {
    const plan = await acts.get(id);
    if (isSeen(who, plan)) return plan;
    throw new Problem("act-not-found", `There is no act ${id}, or it was over a day ago`);
  }

  return {
    async begin(who, { act, q, note, expect }) {
      requireWrite(who);
      pickOf({ q, pointer: "/q", now: around.clock.now(), filter: {} });
      if (expect !== null) checkCount(await tasks.count(who, q), expect);
      return acts.begin({ who, note }, { act, q });
    },
    async list(who, page) {
      const seen = (await acts.list()).filter((plan) => isSeen(who, plan));
      return pageOf(seen, page);
    },
    get,
    async stop(who, id) {
      requireWrite(who);
      const plan = await get(who, id);
      if (plan.by.user !== who.user && !isSuperuser(who)) {
        throw new Problem("forbidden", `Act ${id} was begun by someone else`);
      }
      return acts.stop({ who, note: null }, id);
    },
    quiet: () => runs.stop(),
  };
}

/** What could not be counted in time may be any number. */
function checkCount({ count, exact }: Pick<TaskCount, "count" | "exact">, expect: number): void {
  if (exact && count <= expect) return;
  const found = exact ? `${count} tasks match` : `At least ${count} tasks match, too many to count in time`;
  throw new Problem("precondition-failed", `${found}; at most ${expect} were expected`);
}

/** Null: no limit. */
function isWithin(some: readonly string[] | null, limits: readonly string[] | null): boolean {
  return limits === null || (some?.every((each) => limits.includes(each)) ?? false);
}
