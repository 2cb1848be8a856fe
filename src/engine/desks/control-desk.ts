// What somebody may do to workers and to what they hold: an admin to all of them, anybody else to his own, a viewer to none.

import { mayOperate, type Principal, requireOperator, requireWrite } from "../../core/access.ts";
import { checkDuration, checkInteger } from "../../core/checks.ts";
import { isGivenUp } from "../../core/liveness.ts";
import { badField, Problem } from "../../core/problem.ts";
import type { CommandRecord } from "../../ports/records.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import type { By } from "../control/command.ts";
import type { CommandAnswer } from "../control/deliveries.ts";
import type { DrainPlan } from "../control/drains.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TaskDesk } from "./task-desk.ts";
import type { TaskView, TaskViews } from "./task-views.ts";
import type { WorkerDesk } from "./worker-desk.ts";
import type { HoldingView } from "./worker-views.ts";

export interface Noted {
  /** Why. */
  readonly note: string | null;
}

export interface DrainWords extends Noted {
  readonly label: { readonly key: string; readonly value: string };
  readonly atATime: number;
  readonly deadlineMs: number | null;
}

export interface ControlDesk {
  pause(who: Principal, worker: string, words: Noted & { readonly until: number | null }): Promise<HoldingView>;
  resume(who: Principal, worker: string, words: Noted): Promise<HoldingView>;
  drain(who: Principal, worker: string, words: Noted & { readonly deadlineMs: number | null }): Promise<HoldingView>;
  limit(who: Principal, worker: string, words: Noted & { readonly value: number | null }): Promise<HoldingView>;
  evict(who: Principal, task: string, words: Noted): Promise<TaskView>;
  /** All that carry the label and are his to drain. */
  drainMany(who: Principal, words: DrainWords): Promise<DrainPlan>;
  drains(who: Principal): Promise<readonly DrainPlan[]>;
  stopDrain(who: Principal, id: string, words: Noted): Promise<DrainPlan>;
  /** What the worker was told, newest first. */
  commands(who: Principal, worker: string, page: PageQuery): Promise<Page<CommandRecord>>;
  /** By the worker's owner. */
  acknowledge(who: Principal, worker: string, id: string, answer: CommandAnswer): Promise<CommandRecord>;
}

export interface ControlDeskParts {
  readonly operations: Pick<Operations, "control" | "evictions" | "drains" | "deliveries" | "catalog">;
  readonly workers: WorkerDesk;
  readonly tasks: TaskDesk;
  readonly views: TaskViews;
}

const concurrencyMax = 10_000;
const atATimeMax = 1_000;

export function controlDesk({ store, clock }: Surroundings, parts: ControlDeskParts): ControlDesk {
  const { operations, workers, tasks, views } = parts;
  const { control, evictions, drains, deliveries, catalog } = operations;

  /** The act, by somebody who may. */
  async function act(who: Principal, id: string, { note }: Noted, what: (by: By) => Promise<unknown>) {
    requireWrite(who);
    const { worker } = await workers.get(who, id);
    requireOperator(who, worker.owner);
    await what({ who, note });
    return workers.get(who, id);
  }

  async function mine(who: Principal): Promise<readonly DrainPlan[]> {
    return (await drains.list()).filter(({ by }) => mayOperate(who, by));
  }

  return {
    pause(who, id, words) {
      checkUntil(words.until, clock.now());
      return act(who, id, words, (by) => control.pauseWorker(by, id, words.until));
    },
    resume: (who, id, words) => act(who, id, words, (by) => control.resumeWorker(by, id)),
    drain(who, id, words) {
      checkDeadline(words.deadlineMs);
      return act(who, id, words, (by) => control.drainWorker(by, id, words.deadlineMs));
    },
    limit(who, id, words) {
      if (words.value !== null) checkInteger("/value", words.value, 1, concurrencyMax);
      return act(who, id, words, (by) => control.limitWorker(by, id, words.value));
    },
    async evict(who, id, { note }) {
      requireWrite(who);
      await tasks.record(who, id);
      await evictions.evict({ who, note }, id);
      return views.view(await tasks.record(who, id));
    },
    async drainMany(who, { label, atATime, deadlineMs, note }) {
      requireWrite(who);
      checkDeadline(deadlineMs);
      checkInteger("/at_a_time", atATime, 1, atATimeMax);
      await catalog.refresh();
      const { key, value } = label;
      const meant = [...catalog.workers()].filter(
        (each) => !isGivenUp(each.session) && each.labels[key] === value && mayOperate(who, each.owner),
      );
      const text = `${key}=${value}`;
      if (meant.length === 0) throw new Problem("worker-not-found", `No worker of yours carries the label ${text}`);
      const ids = meant.map(({ id }) => id).sort();
      return drains.begin({ who, note }, { label: text, atATime, deadlineMs, workers: ids });
    },
    drains: mine,
    async stopDrain(who, id, { note }) {
      requireWrite(who);
      if (!(await mine(who)).some((plan) => plan.id === id)) {
        throw new Problem("drain-not-found", `There is no drain ${id}, or it is through`);
      }
      return drains.stop({ who, note }, id);
    },
    async commands(who, id, page) {
      await workers.get(who, id);
      return store.read("commands", { worker: id, ...page });
    },
    async acknowledge(who, id, command, answer) {
      requireWrite(who);
      await workers.owned(who, id);
      return deliveries.acknowledge(id, command, answer);
    },
  };
}

export function checkUntil(until: number | null, now: number): void {
  if (until !== null && until <= now) throw badField("/until", "must be in the future");
}

function checkDeadline(deadlineMs: number | null): void {
  if (deadlineMs !== null) checkDuration("/deadline_seconds", deadlineMs);
}
