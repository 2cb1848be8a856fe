// Who sent a request: whoever shows a token, else whoever's session the cookie is of. Found out before the body is read,
// and counted. A cookie comes along by itself, so with one a change must show that a page of ours has sent it.

import type { FastifyRequest } from "fastify";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { SessionKeys } from "../../core/session.ts";
import type { Desks } from "../../engine/desks/desks.ts";
import type { Log } from "../../ports/log.ts";
import type { Visit } from "../../transports/rest/call.ts";
import type { Forwarding } from "../forwarding.ts";
import { type Authenticated, type Authenticator, bearerToken } from "./authenticator.ts";
import { cookieOf, isOwnOrigin } from "./cookie.ts";
import { foreignOrigin, noCsrf } from "./refusals.ts";
import type { RequestLimit } from "./request-limit.ts";

export interface AskingOptions {
  readonly desks: Pick<Desks, "callbacks">;
  readonly auth: Authenticator;
  readonly keys: SessionKeys;
  readonly limit: RequestLimit;
  readonly seenAs: Forwarding;
  readonly log: Log;
}

export interface Asking {
  /** Who asks, by token or by cookie; for requests that only read. */
  find(request: FastifyRequest): Authenticated | Promise<Authenticated>;
  /** Finds out who asks and notes it; answers the problem that ends the request at once. */
  note(request: FastifyRequest): Problem | null | Promise<Problem | null>;
  /** Who was found to ask, or why nobody does. */
  who(request: FastifyRequest): Principal | Problem;
  visit(request: FastifyRequest): Visit;
  /** Whether the token or the session that was shown is good still. */
  isStillGood(request: FastifyRequest): Promise<boolean>;
}

/** Who asks is noted on the request itself: a map beside it would cost every request a weak reference. */
export const asking = Symbol("who asks");
type Noted = FastifyRequest & { [asking]?: Principal | Problem | null };

/** What is read of a stranger's body, so that he hears of a slip in it before he hears that he is a stranger. */
const strangersBytesMax = 65_536;

/** Who calls back: nobody in particular, for nothing but the attempt whose lease was shown. */
const target: Principal = { user: "push", role: "user", rooms: [], jobs: [], token: null };
/** Who has yet to sign in. */
const nobody: Principal = { user: "", role: "viewer", rooms: [], jobs: [], token: null };
const uncounted: readonly unknown[] = [target, nobody];

const safe = ["GET", "HEAD", "OPTIONS"];

interface RouteConfig {
  readonly byLease?: true;
  readonly open?: true;
}

export function requestAsking({ desks, auth, keys, limit, seenAs, log }: AskingOptions): Asking {
  /** What a token says counts, whatever cookies came along with it. */
  function sessionIn({ headers }: FastifyRequest): string | null {
    return headers.authorization === undefined ? cookieOf(headers, keys.cookie) : null;
  }

  function find(request: FastifyRequest): Authenticated | Promise<Authenticated> {
    const session = sessionIn(request);
    return session === null ? auth.authenticate(request.headers.authorization) : auth.session(session);
  }

  /** Who has a session may read; whoever changes something has to show where the change comes from. */
  function guarded(request: FastifyRequest, found: Authenticated): Authenticated {
    if (found instanceof Problem || sessionIn(request) === null || safe.includes(request.method)) return found;
    if (!isOwnOrigin(request.headers.origin, seenAs(request.raw))) return foreignOrigin();
    const given = request.headers["x-leadhand-csrf"];
    return typeof given === "string" && keys.isCsrf(found.token ?? "", given) ? found : noCsrf();
  }

  /** Nobody else's page may sign somebody in here, as whom it likes. */
  function newcomer({ headers, raw }: FastifyRequest): Authenticated {
    return isOwnOrigin(headers.origin, seenAs(raw)) ? nobody : foreignOrigin();
  }

  /** Whoever has an attempt's lease token speaks for it; nobody counts how often, and the database is not asked. */
  function speaker({ params, query, headers }: FastifyRequest): Authenticated {
    const { task_id: task = "" } = params as { task_id?: string };
    const attempt = Number((query as { attempt?: string }).attempt);
    const given = headers["leadhand-lease"] ?? /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    const proven = typeof given === "string" && desks.callbacks.proves(task.toLowerCase(), attempt, given);
    return proven
      ? target
      : new Problem("unauthorized", "Send the lease token of the attempt: Authorization: Bearer …");
  }

  /** A stranger who sends more than a few words is not heard out. */
  function noted(request: FastifyRequest, found: Authenticated): Problem | null {
    const isCounted = !(found instanceof Problem) && !uncounted.includes(found);
    const who = isCounted ? (limit.admit(found) ?? found) : found;
    (request as Noted)[asking] = who;
    if (!(who instanceof Problem)) return null;
    log.debug("A caller was turned away", { address: request.ip, code: who.code, detail: who.message });
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    return encoding !== undefined || Number(length ?? 0) > strangersBytesMax ? who : null;
  }

  return {
    find,
    note(request) {
      const { byLease, open } = request.routeOptions.config as RouteConfig;
      if (byLease === true) return noted(request, speaker(request));
      if (open === true) return noted(request, newcomer(request));
      const found = find(request);
      // Known tokens are known at once: nothing waits for them.
      if (found instanceof Promise) return found.then((who) => noted(request, guarded(request, who)));
      return noted(request, guarded(request, found));
    },
    who(request) {
      return (request as Noted)[asking] ?? new Problem("unauthorized", "Send a token: Authorization: Bearer …");
    },
    async isStillGood(request) {
      const found = await find(request);
      return !(found instanceof Problem && found.code === "unauthorized");
    },
    visit(request) {
      const { [asking]: who } = request as Noted;
      const isSession = sessionIn(request) !== null && who != null && !(who instanceof Problem);
      const { secure, prefix } = seenAs(request.raw);
      const bearer = bearerToken(request.headers.authorization ?? "");
      return { address: request.ip, secure, prefix, session: isSession ? who.token : null, bearer };
    },
  };
}
