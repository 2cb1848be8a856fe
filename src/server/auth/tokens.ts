// Making and revoking API tokens, for the command line and for every door.

import type { Clock } from "../../ports/clock.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { apiToken, hashOf, idOf } from "./api-token.ts";
import { checkTokenRequest, type TokenRequest } from "./token-request.ts";

export interface TokenKeeper {
  readonly store: Pick<Store, "read" | "amend">;
  readonly clock: Pick<Clock, "now">;
  /** 32 random bytes in base64url: `systemSecret`. */
  readonly secret: () => string;
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
  { store, clock }: Pick<TokenKeeper, "store" | "clock">,
  token: string,
  { user, role, name, rooms, jobs, expiresAt }: TokenRequest,
): Promise<TokenRecord> {
  const hash = hashOf(token);
  const limits = { user, role, name, rooms, jobs, expiresAt };
  const record = { id: idOf(hash), hash, ...limits, createdAt: clock.now(), revokedAt: null };
  await store.amend({}, () => ({ answer: null, tokens: [record] }));
  return record;
}

/** Null where there is no such token. A token that was revoked before stays revoked since then. */
export async function revokeToken(
  { store, clock }: Pick<TokenKeeper, "store" | "clock">,
  id: string,
): Promise<TokenRecord | null> {
  const record = await store.read("token", { id });
  if (record === null || record.revokedAt !== null) return record;
  const revoked = { ...record, revokedAt: clock.now() };
  await store.amend({}, () => ({ answer: null, tokens: [revoked] }));
  return revoked;
}

const pageSize = 500;

/** Newest first. */
export async function allTokens(store: Pick<Store, "read">): Promise<TokenRecord[]> {
  const tokens: TokenRecord[] = [];
  for (;;) {
    const { items } = await store.read("tokens", { limit: pageSize, offset: tokens.length });
    tokens.push(...items);
    if (items.length < pageSize) return tokens;
  }
}
