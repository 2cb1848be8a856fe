// What an API token looks like: `lh_` and 32 random bytes. Only its SHA-256 is kept; with so much chance in the token, a
// plain hash cannot be searched, and nothing of a secret is ever compared character by character.

import { createHash } from "node:crypto";
import type { Principal } from "../../core/access.ts";
import type { TokenRecord } from "../../ports/records.ts";

const shape = /^lh_[A-Za-z0-9_-]{43}$/;

/** `secret` is 32 random bytes in base64url. */
export function apiToken(secret: string): string {
  return `lh_${secret}`;
}

export function isApiToken(text: string): boolean {
  return shape.test(text);
}

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

const idLength = 16;

/** The id follows from the hash, so registering a token twice is registering it once. */
export function idOf(hash: string): string {
  return hash.slice(0, idLength);
}

export function principalOf({ id, user, role, rooms, jobs }: TokenRecord): Principal {
  return Object.freeze({ user, role, rooms, jobs, token: id });
}

export type TokenState = "active" | "expired" | "revoked";

export function tokenState({ expiresAt, revokedAt }: TokenRecord, now: number): TokenState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
