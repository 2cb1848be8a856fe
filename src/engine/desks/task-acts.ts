// What somebody does to a task that is not its holder's ordinary word, as entries of the audit.

import type { Principal } from "../../core/access.ts";
import type { Move } from "../../core/task.ts";
import type { AuditEntry, TaskRecord } from "../../ports/records.ts";
import { auditEntry } from "../audit-entry.ts";
import type { CancelRequest } from "../cancelling.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Holders } from "./holders.ts";

export interface TaskActs {
  /** One entry for what was asked, however many children go with it. */
  cancel(who: Principal, id: string, note: string | null): CancelRequest;
  /** Undefined where nobody is overridden: a superuser who settles what his own worker holds does its ordinary work. */
  override(who: Principal, task: TaskRecord, move: Move): Promise<AuditEntry | undefined>;
}

export function taskActs(around: Pick<Surroundings, "ids" | "clock">, holders: Pick<Holders, "owns">): TaskActs {
  const cancelled = (who: Principal, id: string, note: string | null): AuditEntry =>
    auditEntry(around, who, { action: "task.cancel", kind: "task", target: id, note });

  return {
    cancel: (who, id, note) => ({ id, actor: who.user, note, audit: cancelled(who, id, note) }),
    async override(who, { card, row }, move) {
      if (move.type === "cancel") return cancelled(who, card.id, move.note ?? null);
      if (row.worker !== null && (await holders.owns(who, row.worker))) return undefined;
      return auditEntry(around, who, {
        ...{ action: "task.override", kind: "task", target: card.id },
        data: { move: move.type, from: row.state, worker_id: row.worker },
      });
    },
  };
}
