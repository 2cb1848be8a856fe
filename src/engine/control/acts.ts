// Acts on many tasks: begun here, carried on by whoever attends to them, and kept for a day after their end.

import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { OutboxItem } from "../../ports/records.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Surroundings } from "../surroundings.ts";
import { type ActPlan, type ActTally, actedKind, actIn, actItem, actKind, ended, keptMax } from "./act-plan.ts";
import type { By } from "./command.ts";
import { programToken } from "./program-token.ts";

export interface Acts {
  /** Throws rate-limited where too many are under way, of all or of his. */
  begin(by: By, words: Pick<ActPlan, "act" | "q">): Promise<ActPlan>;
  /** The latest first. */
  list(): Promise<readonly ActPlan[]>;
  /** Throws act-not-found. */
  get(id: string): Promise<ActPlan>;
  /** What has been done stays done. One that is over stays as it is. Throws act-not-found. */
  stop(by: By, id: string): Promise<ActPlan>;
  /** Those that are not over. */
  open(): Promise<readonly OutboxItem[]>;
  /** Writes how far a plan has come; null where somebody else was first, or it was stopped: then its last turn is counted. */
  step(item: OutboxItem, plan: ActPlan): Promise<OutboxItem | null>;
  /** Whom to call when there may be something to carry on. */
  attend(wake: () => void): void;
  /** Forgets what is old and calls whoever attends. Answers how many were forgotten. */
  look(now: number): Promise<number>;
}

const openMax = 100;
/** Of one user, so that others have their turn. */
const ownMax = 10;

export function acts(around: Surroundings): Acts {
  const { store, clock, ids } = around;
  let wake = (): void => {};
  const open = (): Promise<readonly OutboxItem[]> => store.find("outbox", { kind: actKind, limit: openMax });
  const over = (): Promise<readonly OutboxItem[]> => store.find("outbox", { kind: actedKind, limit: 2 * keptMax });

  async function itemOf(id: string): Promise<OutboxItem> {
    const item = [...(await open()), ...(await over())].find(({ key }) => key === id);
    if (item === undefined) throw new Problem("act-not-found", `There is no act ${id}, or it was over a day ago`);
    return item;
  }

  /** Too many would keep others from theirs. */
  async function checkRoom({ user }: Principal): Promise<void> {
    const underWay = (await open()).map(actIn);
    const own = underWay.filter(({ by }) => by.user === user).length;
    if (underWay.length >= openMax) throw new Problem("rate-limited", `${openMax} acts are under way already`);
    if (own >= ownMax) throw new Problem("rate-limited", `${ownMax} acts of yours are under way already`);
  }

  /** Writes what became of a plan's item, unless somebody else was first. */
  async function replace(item: OutboxItem, plan: ActPlan): Promise<OutboxItem | null> {
    const next = actItem(around, plan);
    const { answer } = await store.amend<boolean>({ outbox: [item.id] }, (view) =>
      view.outbox.has(item.id) ? { answer: true, outboxDone: [item.id], outbox: [next] } : { answer: false },
    );
    return answer ? next : null;
  }

  /** It was stopped in the middle of a turn that was carried out all the same; if by several, the first counts it. */
  async function countLate({ key, data }: OutboxItem, tally: ActTally): Promise<void> {
    const item = (await over()).find((each) => each.key === key);
    const stopped = item === undefined ? null : actIn(item);
    const { turn } = actIn({ data });
    if (item === undefined || stopped === null || turn.length === 0 || !isSame(stopped.turn, turn)) return;
    const { done, skipped, skips, failed, errors } = tally;
    await replace(item, { ...stopped, done, skipped, skips, failed, errors, turn: [] });
  }

  return {
    async begin(by, { act, q }) {
      const { who, note } = by;
      await checkRoom(who);
      const token = await programToken(store, who);
      const id = ids.next();
      const plan: ActPlan = {
        ...{ id, act, q, note, by: who, token, state: "running", createdAt: clock.now(), finishedAt: null },
        ...{ before: id, turn: [], matched: 0, done: 0, skipped: 0, skips: {}, failed: 0, errors: [] },
      };
      const audit = auditEntry(around, who, { action: `tasks.${act}`, kind: "act", target: id, note, data: { q } });
      // Where many are over, the oldest of them make room.
      const outboxDone = (await over()).slice(0, -keptMax).map((item) => item.id);
      await store.amend({}, () => ({ answer: null, outbox: [actItem(around, plan)], outboxDone, audit: [audit] }));
      wake();
      return plan;
    },
    async list() {
      // One that ends between the two looks is met twice.
      const all = new Map([...(await open()), ...(await over())].map((item) => [item.key, actIn(item)]));
      return [...all.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    },
    get: async (id) => actIn(await itemOf(id)),
    async stop({ who, note }, id) {
      for (;;) {
        const item = await itemOf(id);
        if (item.kind === actedKind) return actIn(item);
        const plan = ended(actIn(item), "stopped", clock.now());
        const audit = auditEntry(around, who, { action: "act.stop", kind: "act", target: id, note });
        const { answer } = await store.amend<boolean>({ outbox: [item.id] }, (view) =>
          view.outbox.has(item.id)
            ? { answer: true, outboxDone: [item.id], outbox: [actItem(around, plan)], audit: [audit] }
            : { answer: false },
        );
        if (answer) return plan;
      }
    },
    open,
    async step(item, plan) {
      const next = await replace(item, plan);
      if (next === null && plan.state !== "stopped") await countLate(item, plan);
      return next;
    },
    attend(called) {
      wake = called;
    },
    async look(now) {
      wake();
      // With every sweep: only what is due is read.
      const old = await store.find("outbox", { kind: actedKind, dueBy: now, limit: keptMax });
      if (old.length > 0) await store.amend({}, () => ({ answer: null, outboxDone: old.map(({ id }) => id) }));
      return old.length;
    },
  };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, nth) => id === b[nth]);
}
