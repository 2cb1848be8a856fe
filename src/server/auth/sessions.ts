// Signing in and out, for people with browsers. A session and a code are rows beside the tokens they came from; taking a
// code and making its session is one transaction, so that of two who show the same code one is let in.

import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import { codeMs, generationsMax, type SessionKeys, sessionEnd, tokenState } from "../../core/session.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { TokenRecord } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import type { Visit } from "../../transports/rest/call.ts";
import type { SessionDesk, SessionView, ShownToSignIn } from "../../transports/rest/handlers/sessions.ts";
import { hashOf, idOf, isTokenText, tokenText } from "./api-token.ts";
import { type Authenticator, bearerToken } from "./authenticator.ts";
import { endOfJwt } from "./check-jwt.ts";
import { lineOf } from "./check-token.ts";
import { cookieText } from "./cookie.ts";
import { badCode, badToken } from "./refusals.ts";
import { signInLimit } from "./sign-in-limit.ts";

export interface SessionsOptions {
  readonly store: Pick<Store, "read" | "amend">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  /** 32 random bytes in base64url: `systemSecret`. */
  readonly secret: () => string;
  readonly auth: Authenticator;
  readonly keys: SessionKeys;
  readonly server: SessionView["server"];
}

type Rights = Pick<Principal, "user" | "role" | "rooms" | "jobs">;

const admin: Rights = { user: "admin", role: "admin", rooms: null, jobs: null };

export interface Sessions extends SessionDesk {
  /** A code for whoever is at the server's own terminal; it comes of no token. */
  codeForAdmin(): Promise<string>;
}

interface Made {
  /** The only time that the secret is seen. */
  readonly secret: string;
  readonly record: TokenRecord;
}

export function sessions({ store, clock, log, secret, auth, keys, server }: SessionsOptions): Sessions {
  const limit = signInLimit(clock);

  function made(kind: "session" | "code", rights: Rights, parent: string | null, expiresAt: number): Made {
    const text = tokenText(kind, secret());
    const hash = hashOf(text);
    const { user, role, rooms, jobs } = rights;
    const about = { id: idOf(hash), kind, parent, hash, name: null, user, role, rooms, jobs };
    return { secret: text, record: { ...about, createdAt: clock.now(), expiresAt, revokedAt: null } };
  }

  async function keep(...tokens: TokenRecord[]): Promise<void> {
    await store.amend({}, () => ({ answer: null, tokens }));
  }

  /** When what he shows ends by itself. */
  async function endOf({ token }: Principal, bearer: string | null): Promise<number | null> {
    if (token !== null) return (await store.read("token", { id: token }))?.expiresAt ?? null;
    return bearer === null ? null : endOfJwt(bearer);
  }

  async function byToken(token: string): Promise<Made> {
    if (bearerToken(`Bearer ${token}`) !== token) throw badToken();
    const who = await auth.authenticate(`Bearer ${token}`);
    if (who instanceof Problem) throw who;
    limit.made(who);
    const session = made("session", who, who.token, sessionEnd(clock.now(), await endOf(who, token)));
    await keep(session.record);
    return session;
  }

  async function byCode(text: string): Promise<Made> {
    const shown = isTokenText("code", text) ? await store.read("token", { hash: hashOf(text) }) : null;
    if (shown?.kind !== "code") throw badCode();
    const ancestors = (await lineOf(store, shown))?.slice(1);
    const isGood = (token: TokenRecord): boolean => tokenState(token, clock.now()) === "active";
    if (ancestors === undefined || !ancestors.every(isGood)) throw badCode();
    const session = made("session", shown, shown.parent, shown.expiresAt as number);
    const { answer } = await store.amend({ tokens: [shown.id] }, ({ tokens }) => {
      const code = tokens.get(shown.id);
      if (code === undefined || !isGood(code)) return { answer: false };
      return { answer: true, tokens: [{ ...code, revokedAt: clock.now() }, session.record] };
    });
    if (!answer) throw badCode();
    return session;
  }

  function viewOf(who: Rights, expiresAt: number | null, csrf: string | null): SessionView {
    const { user, role, rooms, jobs } = who;
    return { user, role, rooms, jobs, expiresAt, csrf, server };
  }

  async function begin({ token, code }: ShownToSignIn, visit: Visit) {
    limit.begin(visit.address);
    const { secret: value, record } = code === undefined ? await byToken(token) : await byCode(code);
    limit.succeeded(visit.address);
    const { id, user, expiresAt } = record;
    log.info("Somebody signed in", { user, session: id, from: record.parent, address: visit.address });
    const seconds = Math.ceil(((expiresAt as number) - clock.now()) / 1_000);
    const cookie = cookieText(keys.cookie, value, seconds, visit);
    return { ...viewOf(record, expiresAt, keys.csrf(id)), cookie };
  }

  return {
    begin,
    async read(who, { session, bearer }) {
      return viewOf(who, await endOf(who, bearer), session === null ? null : keys.csrf(session));
    },
    async end({ session, ...visit }) {
      if (session === null) throw new Problem("forbidden", "Only a session is ended here; tokens are revoked");
      const record = await store.read("token", { id: session });
      if (record !== null) await keep({ ...record, revokedAt: clock.now() });
      auth.forget();
      return cookieText(keys.cookie, "", 0, visit);
    },
    async code(who, { bearer }) {
      const record = who.token === null ? null : await store.read("token", { id: who.token });
      const line = record === null ? [] : await lineOf(store, record);
      if (line === null || line.length > generationsMax) {
        throw new Problem("forbidden", "This session came of too many others; sign in with a token first");
      }
      limit.made(who);
      const code = made("code", who, who.token, sessionEnd(clock.now(), await endOf(who, bearer)));
      await keep(code.record);
      return { code: code.secret, expiresAt: code.record.createdAt + codeMs };
    },
    async codeForAdmin() {
      const code = made("code", admin, null, sessionEnd(clock.now(), null));
      await keep(code.record);
      return code.secret;
    },
  };
}
