// Every door of this server, as one.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { requestAsking } from "./auth/asking.ts";
import { forwarding } from "./forwarding.ts";
import type { Connections } from "./load-meter.ts";
import { type RestOptions, rest } from "./rest.ts";
import { type SocketsOptions, sockets } from "./sockets.ts";
import type { ServerTelemetry } from "./telemetry.ts";
import { ui } from "./ui/ui.ts";
import type { UiFiles } from "./ui/ui-files.ts";
import type { Upgrade } from "./upgrades.ts";
import { work } from "./work.ts";

export interface DoorsOptions extends Omit<RestOptions, "asking">, Omit<SocketsOptions, "seenAs"> {
  readonly telemetry: Pick<ServerTelemetry, "work">;
  /** Of the dashboard. */
  readonly uiFiles: UiFiles;
}

export interface Doors {
  doors(app: FastifyInstance): void;
  readonly upgrades: ReadonlyMap<string, Upgrade>;
  /** Throws unless someone asks who may know of everything: for the metrics. */
  admit(request: FastifyRequest): Promise<void>;
  connections(): Pick<Connections, "sockets" | "work">;
  /** Ends the connections that have no end of their own. */
  stop(): Promise<void>;
}

export function doors(options: DoorsOptions): Doors {
  const seenAs = forwarding(options.config);
  const asked = rest({ ...options, asking: requestAsking({ ...options, seenAs }) });
  const connected = sockets({ ...options, seenAs });
  const working = work({ ...options, desk: options.desks.work, metrics: options.telemetry.work });
  return {
    doors(app) {
      asked.doors(app);
      connected.doors(app);
      working.doors(app);
      ui(app, { files: options.uiFiles, prefixOf: ({ raw }) => seenAs(raw).prefix });
    },
    upgrades: new Map([...connected.upgrades, ...working.upgrades]),
    admit: asked.admit,
    connections: () => ({ sockets: connected.connections(), work: working.connections() }),
    async stop() {
      await Promise.all([connected.stop(), working.stop()]);
    },
  };
}
