// The REST door: every route of src/protocol/rest below one prefix.

import type { FastifyInstance } from "fastify";
import type { Desks } from "../../engine/desks/desks.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { routeList } from "../../protocol/rest/routes.ts";
import type { Handlers } from "./call.ts";
import { actHandlers } from "./handlers/acts.ts";
import { alertHandlers } from "./handlers/alerts.ts";
import { auditHandlers } from "./handlers/audits.ts";
import { bulkHandlers } from "./handlers/bulk.ts";
import { callbackHandlers } from "./handlers/callbacks.ts";
import { callerHandlers } from "./handlers/callers.ts";
import { controlHandlers, pauseHandlers } from "./handlers/control.ts";
import { explainHandlers } from "./handlers/explains.ts";
import { jobHandlers } from "./handlers/jobs.ts";
import { nodeHandlers } from "./handlers/nodes.ts";
import { type ProviderWaits, providerHandlers } from "./handlers/providers.ts";
import { type SessionDesk, sessionHandlers } from "./handlers/sessions.ts";
import { specHandlers } from "./handlers/specs.ts";
import { statisticHandlers } from "./handlers/statistics.ts";
import { submitHandlers } from "./handlers/submits.ts";
import { systemHandlers } from "./handlers/systems.ts";
import { taskHandlers } from "./handlers/tasks.ts";
import { type TokenDesk, tokenHandlers } from "./handlers/tokens.ts";
import { watchHandlers } from "./handlers/watches.ts";
import { workerHandlers } from "./handlers/workers.ts";
import { type RouteDoorOptions, routeDoor } from "./route-door.ts";

export interface RestDoorOptions extends RouteDoorOptions {
  readonly desks: Desks;
  readonly sessions: SessionDesk;
  readonly tokens: TokenDesk;
  readonly clock: Clock;
  readonly log: Log;
  readonly waitSecondsMax: number;
  readonly providerWaits: ProviderWaits;
}

export function restDoor(app: FastifyInstance, options: RestDoorOptions): void {
  const { desks, clock, waitSecondsMax } = options;
  const handlers: Handlers = {
    ...workerHandlers(desks),
    ...watchHandlers(desks),
    ...alertHandlers(desks),
    ...jobHandlers(desks),
    ...specHandlers(desks),
    ...submitHandlers(desks, clock),
    ...taskHandlers(desks, { clock, waitSecondsMax }),
    ...bulkHandlers(desks),
    ...explainHandlers(desks),
    ...auditHandlers(desks),
    ...nodeHandlers(desks),
    ...systemHandlers(desks),
    ...callerHandlers,
    ...sessionHandlers(options.sessions),
    ...tokenHandlers(options.tokens),
    ...callbackHandlers(desks),
    ...controlHandlers(desks, clock),
    ...actHandlers(desks),
    ...pauseHandlers(desks, clock),
    ...statisticHandlers(desks),
    ...providerHandlers(desks, options.providerWaits),
  };
  routeDoor(app, routeList, handlers, options);
}
