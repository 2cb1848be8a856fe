// The Socket.IO door of this server: it shares the port with everything else.

import type { FastifyInstance } from "fastify";
import { Problem } from "../core/problem.ts";
import type { Desks } from "../engine/desks/desks.ts";
import type { Bus } from "../ports/bus.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { sendProblem } from "../transports/rest/problem-reply.ts";
import { socketDoor, socketPath } from "../transports/socketio/door.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import type { RequestLimit } from "./auth/request-limit.ts";
import type { Config } from "./settings/settings.ts";
import type { Upgrade } from "./upgrades.ts";

export interface SocketsOptions {
  readonly config: Config;
  readonly desks: Desks;
  readonly bus: Bus;
  readonly auth: Authenticator;
  readonly limit: RequestLimit;
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

export function sockets({ config, desks, bus, auth, limit, clock, log, stopping }: SocketsOptions): Sockets {
  const { front, stop, connections } = socketDoor({
    ...{ desk: desks.listens, bus, clock, log, messageBytesMax: config.bodyBytesMax },
    authenticate: async (token) => auth.authenticate(token === undefined ? undefined : `Bearer ${token}`),
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
