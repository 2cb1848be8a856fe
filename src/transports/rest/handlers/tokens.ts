import type { Principal } from "../../../core/access.ts";
import type { TokenKind } from "../../../core/session.ts";
import type { TokenRecord } from "../../../ports/records.ts";
import type { Page, PageQuery } from "../../../ports/store-reads.ts";
import type { tokenRoutes } from "../../../protocol/rest/token-routes.ts";
import { type Handlers, json } from "../call.ts";
import { pageAnswer } from "../page-json.ts";
import { isoTime } from "../time.ts";

export interface NewToken extends Pick<TokenRecord, "name" | "user" | "role" | "rooms" | "jobs"> {
  readonly expiresMs: number | null;
}

/** Where tokens are made and revoked. */
export interface TokenDesk {
  /** Newest first. */
  list(who: Principal, query: PageQuery & { readonly kind: TokenKind }): Promise<Page<TokenRecord>>;
  /** The only time that the token itself is seen. */
  create(who: Principal, token: NewToken): Promise<{ readonly token: string; readonly record: TokenRecord }>;
  revoke(who: Principal, id: string): Promise<void>;
}

export function tokenHandlers(desk: TokenDesk): Handlers<keyof typeof tokenRoutes> {
  return {
    async listTokens({ who, query }) {
      return pageAnswer(await desk.list(who, query), query, (token) => JSON.stringify(tokenJson(token)));
    },
    async createToken({ who, body }) {
      const { user, role, name = null, rooms = null, jobs = null, expires_seconds = null } = body;
      const expiresMs = expires_seconds === null ? null : expires_seconds * 1_000;
      const { token, record } = await desk.create(who, { user, role, name, rooms, jobs, expiresMs });
      return json(201, { ...tokenJson(record), token }, { "cache-control": "no-store" });
    },
    async revokeToken({ who, params }) {
      await desk.revoke(who, params.token_id);
      return { status: 204 };
    },
  };
}

function tokenJson({ id, kind, name, user, role, rooms, jobs, parent, ...times }: TokenRecord) {
  return {
    ...{ id, kind, name, user, role, rooms, jobs },
    created_at: isoTime(times.createdAt),
    expires_at: isoTime(times.expiresAt),
    revoked_at: isoTime(times.revokedAt),
    parent_id: parent,
  };
}
