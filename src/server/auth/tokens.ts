// Making and revoking API tokens, for the command line and for every door.

import { type Act, auditEntry } from "../../engine/audit-entry.ts";
import type { Surroundings } from "../../engine/surroundings.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AuditEntry, TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { apiToken, hashOf, idOf } from "./api-token.ts";
import { checkTokenRequest, type TokenRequest } from "./token-request.ts";

export interface TokenKeeper {
  readonly store: Pick<Store, "read" | "amend">;
  readonly clock: Pick<Clock, "now">;
  /** 32 random bytes in base64url: `systemSecret`. */
  readonly secret: () => string;
  /** Makes the entry of the audit; absent where nobody did it, as in tests. */
  readonly audit?: (act: Act) => AuditEntry;
}

/** The audit in the name of somebody at the database itself, who shows no token. */
export function auditAs(actor: string, around: Pick<Surroundings, "ids" | "clock">): (act: Act) => AuditEntry {
  return (act) => auditEntry(around, { user: actor, token: null }, act);
}

/** The only time that the token itself is seen. */
export interface IssuedToken {
  readonly token: string;
  readonly record: TokenRecord;
}

export async function issueToken(keeper: TokenKeeper, request: TokenRequest): Promise<IssuedToken> {
  checkTokenRequest(request, keeper.clock.now());
  const token = apiToken(keeper.secret());
  return { token, record: await registerToken(keeper, token, request) };
}

/** Makes a token known that exists already. */
export async function registerToken(
  { store, clock, audit }: Omit<TokenKeeper, "secret">,
  token: string,
  { user, role, name, rooms, jobs, expiresAt }: TokenRequest,
): Promise<TokenRecord> {
  const hash = hashOf(token);
  const limits = { user, role, name, rooms, jobs, expiresAt };
  const about = { id: idOf(hash), kind: "api", parent: null, hash } as const;
  const record = { ...about, ...limits, createdAt: clock.now(), revokedAt: null };
  const shown = {
    user,
    role,
    name,
    rooms,
    jobs,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
  const act = { action: "token.create", kind: "token", target: record.id, data: shown };
  await store.amend({}, () => ({ answer: null, tokens: [record], ...entries(audit, act) }));
  return record;
}

/** Null where there is no such token. A token that was revoked before stays revoked since then. */
export async function revokeToken(
  { store, clock, audit }: Omit<TokenKeeper, "secret">,
  id: string,
): Promise<TokenRecord | null> {
  const record = await store.read("token", { id });
  if (record === null || record.revokedAt !== null) return record;
  const revoked = { ...record, revokedAt: clock.now() };
  const { user, role, name } = record;
  const act = { action: "token.revoke", kind: "token", target: id, data: { user, role, name } };
  await store.amend({}, () => ({ answer: null, tokens: [revoked], ...entries(audit, act) }));
  return revoked;
}

function entries(audit: TokenKeeper["audit"], act: Act): { readonly audit?: readonly AuditEntry[] } {
  return audit === undefined ? {} : { audit: [audit(act)] };
}

const pageSize = 500;

/** Those of programs, newest first. */
export async function allTokens(store: Pick<Store, "read">): Promise<TokenRecord[]> {
  const tokens: TokenRecord[] = [];
  for (;;) {
    const { items } = await store.read("tokens", { kind: "api", limit: pageSize, offset: tokens.length });
    tokens.push(...items);
    if (items.length < pageSize) return tokens;
  }
}
