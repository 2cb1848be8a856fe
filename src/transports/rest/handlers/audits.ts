import type { Desks } from "../../../engine/desks/desks.ts";
import type { AuditEntry } from "../../../ports/records.ts";
import type { auditRoutes } from "../../../protocol/rest/audit-routes.ts";
import type { Handlers } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { isoTime } from "../time.ts";

export function auditHandlers({ audits }: Desks): Handlers<keyof typeof auditRoutes> {
  return {
    async listAudit({ who, query }) {
      const { since, before, ...words } = query;
      const times = {
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(before !== undefined && { before: Date.parse(before) }),
      };
      return pageAnswer(await audits.list(who, { ...words, ...times }), query, entryJson);
    },
  };
}

function entryJson({ id, at, actor, token, action, kind, target, note, data }: AuditEntry): string {
  const words = JSON.stringify({ id, at: isoTime(at), actor, token_id: token, action, kind, target, note });
  return `${words.slice(0, -1)},"data":${data ?? "null"}}`;
}
