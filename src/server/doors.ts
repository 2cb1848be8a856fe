// Every door of this server, as one.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Connections } from "./load-meter.ts";
import { type RestOptions, rest } from "./rest.ts";
import { type SocketsOptions, sockets } from "./sockets.ts";
import type { ServerTelemetry } from "./telemetry.ts";
import type { Upgrade } from "./upgrades.ts";
import { work } from "./work.ts";

export interface DoorsOptions extends RestOptions, SocketsOptions {
  readonly telemetry: Pick<ServerTelemetry, "work">;
}

export interface Doors {
  doors(app: FastifyInstance): void;
  readonly upgrades: ReadonlyMap<string, Upgrade>;
  /** Throws unless someone asks whom we know. */
  admit(request: FastifyRequest): Promise<void>;
  connections(): Pick<Connections, "sockets" | "work">;
  /** Ends the connections that have no end of their own. */
  stop(): Promise<void>;
}

export function doors(options: DoorsOptions): Doors {
  const asked = rest(options);
  const connected = sockets(options);
  const working = work({ ...options, desk: options.desks.work, metrics: options.telemetry.work });
  return {
    doors(app) {
      asked.doors(app);
      connected.doors(app);
      working.doors(app);
    },
    upgrades: new Map([...connected.upgrades, ...working.upgrades]),
    admit: asked.admit,
    connections: () => ({ sockets: connected.connections(), work: working.connections() }),
    async stop() {
      await Promise.all([connected.stop(), working.stop()]);
    },
  };
}
