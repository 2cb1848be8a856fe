// Sessions of people with browsers. A session is a token of its own, short-lived and worth nothing without the one it
// came from; a code becomes a session once, and is how a link signs somebody in without a secret that lasts.
//
//   API token or JWT ──────────────► session ──► ends: signed out, its parent ended, or 12 h
//        └────► code (10 min, once) ────┘

import { createHmac, timingSafeEqual } from "node:crypto";

export const tokenKinds = ["api", "session", "code"] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** From when it was made, whatever it came from. */
export const sessionMsMax = 12 * 3_600_000;
export const codeMs = 10 * 60_000;

/** Sessions that made codes of which sessions came, and so on: so many in a row, for each is looked at. */
export const generationsMax = 4;

/** What comes of a token that ends then; null: which has no end. */
export function sessionEnd(now: number, parentEnd: number | null): number {
  return Math.min(now + sessionMsMax, parentEnd ?? Number.POSITIVE_INFINITY);
}

interface Lasting {
  readonly kind: TokenKind;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export type TokenState = "active" | "expired" | "revoked";

/** The end of a code is the end of the session it may become; the code itself is good for minutes. */
export function tokenState({ kind, createdAt, expiresAt, revokedAt }: Lasting, now: number): TokenState {
  if (revokedAt !== null) return "revoked";
  if (kind === "code" && now >= createdAt + codeMs) return "expired";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

/** What cookies of one database need, computed from its secret: every server of it knows them. */
export interface SessionKeys {
  /** The name of the cookie: of two databases behind one host neither takes the other's for its own. */
  readonly cookie: string;
  /** Shown beside the cookie by pages of our own, which alone can read it. */
  csrf(session: string): string;
  isCsrf(session: string, given: string): boolean;
}

export function sessionKeys(secret: string): SessionKeys {
  const derived = (about: string): Buffer => createHmac("sha256", secret).update(`session\n${about}`).digest();
  const csrf = (session: string): string => derived(`csrf\n${session}`).toString("base64url");
  return {
    cookie: `leadhand_${derived("cookie").toString("hex").slice(0, 8)}`,
    csrf,
    isCsrf(session, given) {
      const [ours, theirs] = [Buffer.from(csrf(session)), Buffer.from(given)];
      return ours.length === theirs.length && timingSafeEqual(ours, theirs);
    },
  };
}
