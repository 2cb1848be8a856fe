// A line of the audit: who did what to whom, and why. It is written in the transaction of the act itself, so that
// nothing is done without it and nothing is told that was not done.

import type { Principal } from "../core/access.ts";
import { isAuditAct } from "../core/audit.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { AuditEntry } from "../ports/records.ts";

export interface Act {
  /** As in `worker.pause`. */
  readonly action: string;
  readonly kind: string;
  readonly target: string;
  readonly note?: string | null;
  readonly data?: unknown;
}

export function auditEntry(
  { ids, clock }: { readonly ids: Ids; readonly clock: Pick<Clock, "now"> },
  who: Pick<Principal, "user" | "token">,
  act: Act,
): AuditEntry {
  const { action, kind, target, note = null, data } = act;
  if (!isAuditAct(action, kind)) throw new Error(`core/audit.ts has no act ${action} of a ${kind}`);
  return {
    ...{ id: ids.next(), at: clock.now(), actor: who.user, token: who.token, action, kind, target, note },
    data: data === undefined ? null : JSON.stringify(data),
  };
}
