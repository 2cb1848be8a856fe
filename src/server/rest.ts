// The doors of this server for requests: ours below a prefix, the fleet's at the root.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { requireWholeSight } from "../core/access.ts";
import { Problem } from "../core/problem.ts";
import type { Desks } from "../engine/desks/desks.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { asyncApi } from "../protocol/asyncapi.ts";
import { openApi } from "../protocol/openapi.ts";
import { fleetDoor } from "../transports/fleet/door.ts";
import { restDoor } from "../transports/rest/door.ts";
import type { SessionDesk } from "../transports/rest/handlers/sessions.ts";
import type { TokenDesk } from "../transports/rest/handlers/tokens.ts";
import { type Asking, asking } from "./auth/asking.ts";
import { docsPage } from "./docs-page.ts";
import type { Config } from "./settings/settings.ts";

export interface RestOptions {
  readonly config: Config;
  readonly version: string;
  readonly desks: Desks;
  readonly asking: Asking;
  readonly sessions: SessionDesk;
  readonly tokens: TokenDesk;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

export interface Rest {
  doors(app: FastifyInstance): void;
  /** Throws unless someone asks who may know of everything: for the metrics. */
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

const prefixes = ["/v1", "/v1/joblib"];

export function rest({
  config,
  version,
  desks,
  asking: asked,
  sessions,
  tokens,
  clock,
  log,
  stopping,
}: RestOptions): Rest {
  function findOut(request: FastifyRequest, _: unknown, done: (error?: Error) => void): void {
    if (stopping.aborted) {
      done(new Problem("stopping", "The server is stopping"));
      return;
    }
    const noted = asked.note(request);
    if (noted instanceof Promise) noted.then((problem) => done(problem ?? undefined), done);
    else done(noted ?? undefined);
  }

  return {
    doors(app) {
      documents(app, version);
      const options = {
        ...{ desks, sessions, tokens, clock, log, who: asked.who, visit: asked.visit, stopping },
        isStillGood: asked.isStillGood,
        jsonDepthMax: config.jsonDepthMax,
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
      const found = await asked.find(request);
      if (found instanceof Problem) throw found;
      // They name every job there is, and say how much of it waits.
      requireWholeSight(found);
    },
  };
}
