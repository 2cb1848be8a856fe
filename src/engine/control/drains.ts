// Draining many workers, some at a time: at most so many drain at once, and the next begins when one of them holds nothing
// any more. The leader carries plans on; they survive it.

import { Problem } from "../../core/problem.ts";
import type { OutboxItem } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import type { By } from "./command.ts";
import { type DrainPlan, drainStep, itemOf, planIn, planKind, planLine } from "./drain-plan.ts";

export type { DrainPlan };

export interface DrainRequest extends Pick<DrainPlan, "label" | "atATime" | "deadlineMs"> {
  readonly workers: readonly string[];
}

export interface Drains {
  /** Answers the plan after its first step. Throws rate-limited where too many are under way. */
  begin(by: By, request: DrainRequest): Promise<DrainPlan>;
  /** Those that are not through, oldest first. */
  list(): Promise<readonly DrainPlan[]>;
  /** Nobody else is drained; who drains already goes on. Throws not-found. */
  stop(by: By, id: string): Promise<DrainPlan>;
  /** Carries all of them on. Answers how many steps were made. */
  carryOn(): Promise<number>;
}

const plansMax = 100;
/** Of one plan in one go. */
const stepsMax = 10;

export function drains(around: Surroundings, catalog: Catalog): Drains {
  const { store, clock, ids } = around;
  const step = drainStep(around, catalog);
  const items = (): Promise<readonly OutboxItem[]> => store.find("outbox", { kind: planKind, limit: plansMax });

  /** As far as it goes now, within limits: the next pulse finds what is left. */
  async function run(first: OutboxItem): Promise<number> {
    let item = first;
    for (let steps = 0; steps < stepsMax; steps += 1) {
      const next = await step(item);
      if (next === null) return steps;
      if (next === "finished") return steps + 1;
      item = next;
    }
    return stepsMax;
  }

  return {
    async begin(by, { label, atATime, deadlineMs, workers }) {
      // Nobody would carry it on, or find it.
      if ((await items()).length >= plansMax) {
        throw new Problem("rate-limited", `${plansMax} drains are under way already; stop some of them`);
      }
      const plan: DrainPlan = {
        ...{ id: ids.next(), label, atATime, deadlineMs, note: by.note, by: by.who.user, token: by.who.token },
        ...{ at: clock.now(), waiting: workers, draining: [], done: [] },
      };
      const item = itemOf(around, plan);
      const audit = [planLine(around, "drain.begin", by, plan)];
      await store.amend({}, () => ({ answer: null, outbox: [item], audit }));
      await run(item);
      const now = (await items()).find(({ key }) => key === plan.id);
      return now === undefined ? { ...plan, waiting: [], done: workers } : planIn(now);
    },
    list: async () => (await items()).map(planIn).sort((a, b) => a.at - b.at),
    async stop(by, id) {
      for (;;) {
        const item = (await items()).find(({ key }) => key === id);
        if (item === undefined) throw new Problem("drain-not-found", `There is no drain ${id}, or it is through`);
        const plan = planIn(item);
        const audit = [planLine(around, "drain.stop", by, plan)];
        const { answer } = await store.amend<boolean>({ outbox: [item.id] }, (view) =>
          view.outbox.has(item.id) ? { answer: true, outboxDone: [item.id], audit } : { answer: false },
        );
        if (answer) return plan;
      }
    },
    async carryOn() {
      let steps = 0;
      for (const item of await items()) steps += await run(item);
      return steps;
    },
  };
}
