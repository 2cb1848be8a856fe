// The Socket.IO door of this server: it shares the port with everything else.

import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { Problem } from "../core/problem.ts";
import type { SessionKeys } from "../core/session.ts";
import type { Desks } from "../engine/desks/desks.ts";
import type { Bus } from "../ports/bus.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { sendProblem } from "../transports/rest/problem-reply.ts";
import { socketDoor, socketPath } from "../transports/socketio/door.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { cookieOf, isOwnOrigin } from "./auth/cookie.ts";
import { foreignOrigin } from "./auth/refusals.ts";
import type { RequestLimit } from "./auth/request-limit.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Config } from "./settings/settings.ts";
import type { Upgrade } from "./upgrades.ts";

export interface SocketsOptions {
  readonly config: Config;
  readonly desks: Desks;
  readonly bus: Bus;
  readonly auth: Authenticator;
  readonly limit: RequestLimit;
  readonly keys: SessionKeys;
  readonly seenAs: Forwarding;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

export interface Sockets {
  /** HTTP long-polling, and the beginning of every connection that did not start as a WebSocket. */
  doors(app: FastifyInstance): void;
  readonly upgrades: ReadonlyMap<string, Upgrade>;
  connections(): number;
  stop(): Promise<void>;
}

export function sockets({
  config,
  desks,
  bus,
  auth,
  limit,
  clock,
  log,
  stopping,
  keys,
  seenAs,
}: SocketsOptions): Sockets {
  /** A browser names the origin of every WebSocket; whoever names none there is no browser, and needs no cookie. */
  function sessionOf(handshake: IncomingMessage): string | Problem | null {
    const { origin, upgrade } = handshake.headers;
    const session = cookieOf(handshake.headers, keys.cookie);
    if (session === null || (origin === undefined && upgrade !== undefined)) return null;
    return isOwnOrigin(origin, seenAs(handshake)) ? session : foreignOrigin();
  }

  const { front, stop, connections } = socketDoor({
    ...{ desk: desks.listens, bus, clock, log, messageBytesMax: config.bodyBytesMax },
    authenticate: async (shown) => {
      if (shown?.by === "session") return auth.session(shown.secret);
      return auth.authenticate(shown === null ? undefined : `Bearer ${shown.secret}`);
    },
    sessionOf,
    count: (who) => limit.admit(who),
  });

  return {
    doors(app) {
      app.route({
        method: ["GET", "POST", "OPTIONS"],
        url: `${socketPath}*`,
        // Before the body is read: the door reads it itself.
        onRequest(request, reply) {
          if (stopping.aborted) return void sendProblem(reply, new Problem("stopping", "The server is stopping"));
          reply.hijack();
          front.emit("request", request.raw, reply.raw);
        },
        handler: () => undefined,
      });
    },
    upgrades: new Map([[socketPath, (request, socket, head) => void front.emit("upgrade", request, socket, head)]]),
    connections,
    stop,
  };
}
