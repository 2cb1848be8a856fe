// Who a request speaks for. Answers that are remembered come at once, without a promise: this is on the way of every
// request. A flood of invented tokens costs bounded memory and a bounded number of looks into the database at a time.

import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import { gate } from "../../engine/gate.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { isApiToken, isTokenText } from "./api-token.ts";
import type { Checked } from "./check.ts";
import { isJwt, type JwtConfig, jwtChecker } from "./check-jwt.ts";
import { checkToken } from "./check-token.ts";
import { badToken, noToken, tooManyChecks } from "./refusals.ts";
import { shortMemory } from "./short-memory.ts";

export type Authenticated = Principal | Problem;

export interface Authenticator {
  /** `authorization` is the value of the header. */
  authenticate(authorization: string | undefined): Authenticated | Promise<Authenticated>;
  /** `secret` is the value of a cookie: never of a header that any program may send. */
  session(secret: string): Authenticated | Promise<Authenticated>;
  /** Forgets what it remembers; after a revocation it holds at once on this server, elsewhere within seconds. */
  forget(): void;
}

export interface AuthenticatorOptions {
  readonly store: Pick<Store, "read">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly config: JwtConfig;
}

/** Of the header; a JWT with many claims has two or three thousand characters. */
const lengthMax = 8_192;
const rememberedMax = 10_000;
const checksMax = 16;
const waitingMax = 1_000;

export function authenticator({ store, clock, log, config }: AuthenticatorOptions): Authenticator {
  // Kept apart, so that invented tokens cannot push out good ones. Only refusals of API tokens are kept, which are short.
  const known = shortMemory<Principal>(rememberedMax, clock);
  const refused = shortMemory<Problem>(rememberedMax, clock);
  const underWay = new Map<string, Promise<Authenticated>>();
  const checkJwt = jwtChecker({ config, clock, log });
  const [lookUps, signatures] = [gate(checksMax, waitingMax), gate(checksMax, waitingMax)];
  let forgotten = 0;

  function start(token: string): Promise<Checked> | null {
    if (isApiToken(token)) return lookUps.pass(() => checkToken(store, clock, token, "api"));
    return signatures.pass(() => checkJwt(token));
  }

  /** One look for all who show the same at once. */
  function look(shown: string, begin: () => Promise<Checked> | null): Authenticated | Promise<Authenticated> {
    const other = underWay.get(shown);
    if (other !== undefined) return other;
    const checking = begin();
    if (checking === null) return tooManyChecks();
    const answer = finish(shown, checking);
    underWay.set(shown, answer);
    return answer;
  }

  async function finish(shown: string, checking: Promise<Checked>): Promise<Authenticated> {
    const asOf = forgotten;
    try {
      const { answer, until } = await checking;
      if (asOf !== forgotten) return answer;
      if (answer instanceof Problem) refused.put(shown, answer, until);
      else known.put(shown, answer, until);
      return answer;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    } finally {
      underWay.delete(shown);
    }
  }

  return {
    authenticate(authorization) {
      if (authorization === undefined) return noToken();
      const remembered = known.get(authorization) ?? refused.get(authorization);
      if (remembered !== undefined) return remembered;
      if (authorization.length > lengthMax) return badToken();
      const token = bearerToken(authorization);
      if (token === null) return noToken();
      if (!isApiToken(token) && !isJwt(token)) return badToken();
      return look(authorization, () => start(token));
    },
    session(secret) {
      // No header holds a line break, so none is ever taken for a cookie.
      const shown = `cookie\n${secret}`;
      const remembered = known.get(shown) ?? refused.get(shown);
      if (remembered !== undefined) return remembered;
      if (!isTokenText("session", secret)) return badToken();
      return look(shown, () => lookUps.pass(() => checkToken(store, clock, secret, "session")));
    },
    forget() {
      forgotten += 1;
      known.clear();
      refused.clear();
      underWay.clear();
    },
  };
}

/** The word Bearer in any case, as HTTP has it; the token as it is. */
export function bearerToken(authorization: string): string | null {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1] ?? null;
}
