// What tokens look like: `lh_` and 32 random bytes, `lhs_` for sessions, `lhc_` for codes. Only its SHA-256 is kept; with so much chance in the token, a
// plain hash cannot be searched, and nothing of a secret is ever compared character by character.

import { createHash } from "node:crypto";
import type { Principal } from "../../core/access.ts";
import type { TokenKind } from "../../core/session.ts";
import type { TokenRecord } from "../../ports/records.ts";

const marks: Readonly<Record<TokenKind, string>> = { api: "lh_", session: "lhs_", code: "lhc_" };
const random = /^[A-Za-z0-9_-]{43}$/;

/** `secret` is 32 random bytes in base64url. */
export function tokenText(kind: TokenKind, secret: string): string {
  return marks[kind] + secret;
}

export function apiToken(secret: string): string {
  return tokenText("api", secret);
}

export function isTokenText(kind: TokenKind, text: string): boolean {
  return text.startsWith(marks[kind]) && random.test(text.slice(marks[kind].length));
}

export function isApiToken(text: string): boolean {
  return isTokenText("api", text);
}

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

const idLength = 16;

/** The id follows from the hash, so registering a token twice is registering it once. */
export function idOf(hash: string): string {
  return hash.slice(0, idLength);
}

/** Sessions are made at will, so whoever has many of them may not do more than with one. */
export function principalOf({ id, kind, user, role, rooms, jobs }: TokenRecord, ...cameOf: TokenRecord[]): Principal {
  const principal = { user, role, rooms, jobs, token: id };
  if (kind === "api") return Object.freeze(principal);
  const root = cameOf.at(-1);
  return Object.freeze({ ...principal, countedWith: root?.kind === "api" ? root.id : null });
}
