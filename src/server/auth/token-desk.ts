// API tokens over REST: what `leadhand token` does in the database, for superusers who are elsewhere.

import { type Principal, requireSuperuser } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import { auditEntry } from "../../engine/audit-entry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Store } from "../../ports/store.ts";
import type { TokenDesk } from "../../transports/rest/handlers/tokens.ts";
import type { Authenticator } from "./authenticator.ts";
import { issueToken, revokeToken, type TokenKeeper } from "./tokens.ts";

export interface TokenDeskOptions {
  readonly store: Pick<Store, "read" | "amend">;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Ids;
  /** 32 random bytes in base64url: `systemSecret`. */
  readonly secret: () => string;
  readonly auth: Pick<Authenticator, "forget">;
}

export function tokenDesk({ auth, ids, ...around }: TokenDeskOptions): TokenDesk {
  const keeperFor = (who: Principal): TokenKeeper => ({
    ...around,
    audit: (act) => auditEntry({ ids, clock: around.clock }, who, act),
  });

  return {
    async list(who, query) {
      requireSuperuser(who);
      return around.store.read("tokens", query);
    },
    async create(who, { expiresMs, ...request }) {
      requireSuperuser(who);
      const expiresAt = expiresMs === null ? null : around.clock.now() + expiresMs;
      return issueToken(keeperFor(who), { ...request, expiresAt });
    },
    async revoke(who, id) {
      requireSuperuser(who);
      const revoked = await revokeToken(keeperFor(who), id);
      if (revoked === null) throw new Problem("token-not-found", `There is no token ${id}`);
      auth.forget();
    },
  };
}
