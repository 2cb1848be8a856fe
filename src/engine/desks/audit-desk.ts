// Who did what to the fleet and to tasks. A superuser sees all of it, everyone else what they did themselves.

import { isSuperuser, type Principal } from "../../core/access.ts";
import type { AuditEntry } from "../../ports/records.ts";
import type { AuditFilter, Page, PageQuery } from "../../ports/store-reads.ts";
import type { Surroundings } from "../surroundings.ts";
import { pageOf } from "./page.ts";

export interface AuditDesk {
  /** Newest first. */
  list(who: Principal, query: AuditFilter & PageQuery): Promise<Page<AuditEntry>>;
}

export function auditDesk({ store }: Pick<Surroundings, "store">): AuditDesk {
  return {
    async list(who, query) {
      if (isSuperuser(who)) return store.read("audit", query);
      if (query.actor !== undefined && query.actor !== who.user) return pageOf([], query);
      return store.read("audit", { ...query, actor: who.user });
    },
  };
}
