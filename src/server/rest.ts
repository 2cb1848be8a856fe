// The doors of this server for requests: ours below a prefix, the fleet's at the root. Who asks is found out before the body is read, and counted.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Principal } from "../core/access.ts";
import { Problem } from "../core/problem.ts";
import type { Desks } from "../engine/desks/desks.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { asyncApi } from "../protocol/asyncapi.ts";
import { openApi } from "../protocol/openapi.ts";
import { fleetDoor } from "../transports/fleet/door.ts";
import { restDoor } from "../transports/rest/door.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import type { RequestLimit } from "./auth/request-limit.ts";
import { docsPage } from "./docs-page.ts";
import type { Config } from "./settings/settings.ts";

export interface RestOptions {
  readonly config: Config;
  readonly version: string;
  readonly desks: Desks;
  readonly auth: Authenticator;
  readonly limit: RequestLimit;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

export interface Rest {
  doors(app: FastifyInstance): void;
  /** Throws unless someone asks whom we know. */
  admit(request: FastifyRequest): Promise<void>;
}

/** Open to all: what can be asked for is no secret. */
function documents(app: FastifyInstance, version: string): void {
  const [prefix = ""] = prefixes;
  const described = JSON.stringify(openApi({ version, prefix }));
  const framesDescribed = JSON.stringify(asyncApi({ version }));
  const page = docsPage(version, prefix);
  app.get(`${prefix}/openapi.json`, (_, reply) => reply.type("application/json").send(described));
  app.get(`${prefix}/asyncapi.json`, (_, reply) => reply.type("application/json").send(framesDescribed));
  app.get("/docs", (_, reply) => reply.type("text/html; charset=utf-8").headers(pageHeaders).send(page));
}

const pageHeaders = { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'" };

/** What is read of a stranger's body, so that he hears of a slip in it before he hears that he is a stranger. */
const strangersBytesMax = 65_536;

const prefixes = ["/v1", "/v1/joblib"];

/** Who asks is noted on the request itself: a map beside it would cost every request a weak reference. */
const asking = Symbol("who asks");
type Asking = FastifyRequest & { [asking]?: Principal | Problem | null };

/** Who calls back: nobody in particular, for nothing but the attempt whose lease was shown. */
const target: Principal = { user: "push", role: "user", rooms: [], jobs: [], token: null };

export function rest({ config, version, desks, auth, limit, clock, log, stopping }: RestOptions): Rest {
  /** Answers the problem that ends the request at once: a stranger who sends more than a few words. */
  function note(request: FastifyRequest, found: Principal | Problem): Problem | null {
    const isCounted = !(found instanceof Problem) && found !== target;
    const who = isCounted ? (limit.admit(found) ?? found) : found;
    (request as Asking)[asking] = who;
    if (!(who instanceof Problem)) return null;
    log.debug("A caller was turned away", { address: request.ip, code: who.code, detail: who.message });
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    return encoding !== undefined || Number(length ?? 0) > strangersBytesMax ? who : null;
  }

  function who(request: FastifyRequest): Principal | Problem {
    return (request as Asking)[asking] ?? new Problem("unauthorized", "Send a token: Authorization: Bearer …");
  }

  /** Whoever has an attempt's lease token speaks for it; nobody counts how often, and the database is not asked. */
  function speaker({ params, query, headers }: FastifyRequest): Principal | Problem {
    const { task_id: task = "" } = params as { task_id?: string };
    const attempt = Number((query as { attempt?: string }).attempt);
    const given = headers["leadhand-lease"] ?? /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    const proven = typeof given === "string" && desks.callbacks.proves(task.toLowerCase(), attempt, given);
    return proven
      ? target
      : new Problem("unauthorized", "Send the lease token of the attempt: Authorization: Bearer …");
  }

  /** Known tokens are known at once: nothing waits for them. */
  function findOut(request: FastifyRequest, _: unknown, done: (error?: Error) => void): void {
    if (stopping.aborted) {
      done(new Problem("stopping", "The server is stopping"));
      return;
    }
    if ((request.routeOptions.config as { byLease?: true }).byLease === true) {
      done(note(request, speaker(request)) ?? undefined);
      return;
    }
    const noted = (found: Principal | Problem) => done(note(request, found) ?? undefined);
    const found = auth.authenticate(request.headers.authorization);
    if (found instanceof Promise) found.then(noted, done);
    else noted(found);
  }

  return {
    doors(app) {
      documents(app, version);
      const options = {
        ...{ desks, clock, log, who, stopping, jsonDepthMax: config.jsonDepthMax },
        waitSecondsMax: Math.floor(config.longPollMaxMs / 1_000),
        providerWaits: { defaultMs: config.providerLongPollDefaultMs, maxMs: config.providerLongPollMaxMs },
        uploadBytesMax: config.providerUploadBytesMax,
      };
      const behind = (prefix: string, door: typeof restDoor | typeof fleetDoor): void => {
        app.register(
          async (inner) => {
            inner.decorateRequest(asking, null);
            inner.addHook("onRequest", findOut);
            door(inner, options);
          },
          { prefix },
        );
      };
      for (const prefix of prefixes) behind(prefix, restDoor);
      behind("", fleetDoor);
    },
    async admit(request) {
      const found = await auth.authenticate(request.headers.authorization);
      if (found instanceof Problem) throw found;
    },
  };
}
