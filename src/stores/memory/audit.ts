import type { AuditEntry } from "../../ports/records.ts";
import type { Page, Reads } from "../../ports/store-reads.ts";
import type { Memory } from "./memory.ts";
import { pageOf } from "./read-tasks.ts";
import { compareText } from "./sorted-list.ts";

export function readAudit(memory: Memory, query: Reads["audit"]["query"]): Page<AuditEntry> {
  const { since = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, limit, offset, ...said } = query;
  const wanted = [...memory.audit.values()].filter(
    ({ at, actor, action, kind, target }) =>
      at >= since &&
      at < before &&
      (said.actor ?? actor) === actor &&
      (said.action ?? action) === action &&
      (said.kind ?? kind) === kind &&
      (said.target ?? target) === target,
  );
  return pageOf(
    wanted.sort((a, b) => compareText(b.id, a.id)),
    { limit, offset },
  );
}
