// The /work door of this server: it shares the port with everything else.

import type { FastifyInstance } from "fastify";
import { Problem } from "../core/problem.ts";
import type { WorkDesk } from "../engine/desks/work-desk.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { workPaths } from "../protocol/work/frames.ts";
import { sendProblem } from "../transports/rest/problem-reply.ts";
import { type WorkMetrics, workDoor } from "../transports/work/door.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import type { RequestLimit } from "./auth/request-limit.ts";
import type { Config } from "./settings/settings.ts";
import { refuse, type Upgrade } from "./upgrades.ts";

export interface WorkOptions {
  readonly config: Config;
  readonly desk: WorkDesk;
  readonly metrics: WorkMetrics;
  readonly auth: Pick<Authenticator, "authenticate">;
  readonly limit: RequestLimit;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

export interface Work {
  /** Whoever asks there without an upgrade is told to. */
  doors(app: FastifyInstance): void;
  readonly upgrades: ReadonlyMap<string, Upgrade>;
  connections(): number;
  stop(): Promise<void>;
}

export function work({ config, auth, limit, ...around }: WorkOptions): Work {
  const door = workDoor({
    ...around,
    messageBytesMax: config.bodyBytesMax,
    jsonDepthMax: config.jsonDepthMax,
    connectionsMax: config.workConnectionsMax,
    bufferedBytesMax: config.workBufferedBytesMax,
    beatMs: config.workBeatMs,
    lostMs: config.workLostMs,
    authenticate: async (authorization) => auth.authenticate(authorization),
    count: (who) => limit.admit(who),
    refuse,
  });

  return {
    doors(app) {
      for (const path of workPaths) {
        app.get(path, (_, reply) => {
          reply.headers({ upgrade: "websocket", connection: "upgrade" });
          return sendProblem(reply, new Problem("upgrade-required", "Workers connect here by WebSocket"));
        });
      }
    },
    upgrades: new Map(workPaths.map((path) => [path, door.upgrade])),
    connections: door.connections,
    stop: door.stop,
  };
}
