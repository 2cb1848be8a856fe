import type { ClaimedTask } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Assignment } from "../desks/work-desk.ts";
import { type CreditAccount, nextSeq } from "./credit-account.ts";
import type { Hands } from "./in-hand.ts";

export interface AssigningParts {
  readonly catalog: Pick<Catalog, "lane" | "job">;
  readonly hands: Pick<Hands, "hold">;
  readonly account: CreditAccount;
  /** As the worker calls the job. */
  specOf(job: string): string;
}

/** Puts a task into the worker's hands, and tells what the worker has to know of it. */
export function assigning({ catalog, hands, account, specOf }: AssigningParts) {
  return (task: ClaimedTask, now: number): Assignment => {
    const { card, row } = task;
    const seq = nextSeq(account);
    hands.hold({ task: card.id, attempt: row.attempt, seq, sentAt: now, open: { card, row } });
    const { job = "", queue = "", labels = {} } = catalog.lane(card.lane) ?? {};
    const checksum = catalog.job(job)?.checksum ?? card.checksum;
    return { seq, task, spec: specOf(job), checksum, queue, labels };
  };
}
