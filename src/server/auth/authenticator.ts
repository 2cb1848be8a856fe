// Who a request speaks for. Answers that are remembered come at once, without a promise: this is on the way of every
// request. A flood of invented tokens costs bounded memory and a bounded number of looks into the database at a time.

import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { isApiToken } from "./api-token.ts";
import type { Checked } from "./check.ts";
import { checkApiToken } from "./check-api-token.ts";
import { isJwt, type JwtConfig, jwtChecker } from "./check-jwt.ts";
import { gate } from "./gate.ts";
import { badToken, noToken, tooManyChecks } from "./refusals.ts";
import { shortMemory } from "./short-memory.ts";

export type Authenticated = Principal | Problem;

export interface Authenticator {
  /** `authorization` is the value of the header. */
  authenticate(authorization: string | undefined): Authenticated | Promise<Authenticated>;
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
    if (isApiToken(token)) return lookUps.pass(() => checkApiToken(store, clock, token));
    return signatures.pass(() => checkJwt(token));
  }

  async function finish(authorization: string, checking: Promise<Checked>): Promise<Authenticated> {
    const asOf = forgotten;
    try {
      const { answer, until } = await checking;
      if (asOf !== forgotten) return answer;
      if (answer instanceof Problem) refused.put(authorization, answer, until);
      else known.put(authorization, answer, until);
      return answer;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    } finally {
      underWay.delete(authorization);
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
      const other = underWay.get(authorization);
      if (other !== undefined) return other;
      const checking = start(token);
      if (checking === null) return tooManyChecks();
      const answer = finish(authorization, checking);
      underWay.set(authorization, answer);
      return answer;
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
function bearerToken(authorization: string): string | null {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1] ?? null;
}
