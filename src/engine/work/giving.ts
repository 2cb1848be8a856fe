// What a connected worker is given: as much as it has room for, as it comes.

import { creditOf } from "../../core/credit.ts";
import { roomLeft } from "../../core/orders.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ClaimedTask } from "../../ports/records.ts";
import type { WorkLine } from "../desks/work-desk.ts";
import type { Operations } from "../engine.ts";
import { type AssigningParts, assigning } from "./assigning.ts";
import { type CreditAccount, noteSent } from "./credit-account.ts";
import type { Hands } from "./in-hand.ts";

export interface GivingParts extends Pick<AssigningParts, "specOf"> {
  readonly worker: string;
  readonly line: Pick<WorkLine, "assign">;
  readonly hands: Hands;
  readonly account: CreditAccount;
  readonly operations: Pick<Operations, "stand" | "givingBack" | "catalog">;
  /** Whether it gets anything at all. */
  isOpen(): boolean;
  gone(): void;
}

export interface Giving {
  /** What it wants, or has, may have changed. */
  want(): void;
  /** Whether it asks for as much as it could be given. */
  isContent(): boolean;
  /** The same, once for all that happens in this turn. */
  rethink(): void;
  /** Whether something may be on its way to it. */
  isAsking(): boolean;
  close(): void;
}

export function giving(clock: Clock, parts: GivingParts): Giving {
  const { worker, line, hands, account, operations, isOpen, gone } = parts;
  const assigned = assigning({ catalog: operations.catalog, hands, account, specOf: parts.specOf });
  const demand = operations.stand({ worker, given, missed, gone });
  let rethinking = false;
  let [saidCount, saidLoad] = [0, 0];

  /** No more than it wants, and no more than it may have. */
  function credit(): number {
    const orders = operations.catalog.worker(worker)?.orders;
    return Math.min(creditOf(account), orders === undefined ? Infinity : roomLeft(orders, hands.size()));
  }

  /** Most beats say what the one before said. */
  function want(): void {
    const count = isOpen() ? credit() : 0;
    const load = hands.size();
    if (count === saidCount && load === saidLoad) return;
    [saidCount, saidLoad] = [count, load];
    demand.want(count, load);
  }

  function given(tasks: readonly ClaimedTask[]): void {
    const now = clock.now();
    line.assign(tasks.map((task) => assigned(task, now)));
    noteSent(account, now);
    want();
  }

  function missed(tasks: readonly ClaimedTask[]): void {
    for (const task of tasks) operations.givingBack.give(task, "not_sent");
  }

  return {
    want,
    isContent: () => saidCount === credit(),
    rethink() {
      if (rethinking) return;
      rethinking = true;
      setImmediate(() => {
        rethinking = false;
        want();
      });
    },
    isAsking: demand.isAsking,
    close: demand.close,
  };
}
