// The door of worker management, at the root: every route of src/protocol/fleet.

import type { FastifyInstance } from "fastify";
import type { Desks } from "../../engine/desks/desks.ts";
import { fleetRouteList, type fleetRoutes } from "../../protocol/fleet/routes.ts";
import type { HandlersOf } from "../rest/call.ts";
import { type RouteDoorOptions, routeDoor } from "../rest/route-door.ts";
import { blackboardHandlers } from "./blackboard.ts";
import { fleetWorkerHandlers } from "./workers.ts";

export interface FleetDoorOptions extends RouteDoorOptions {
  readonly desks: Pick<Desks, "fleet">;
}

export function fleetDoor(app: FastifyInstance, options: FleetDoorOptions): void {
  const { fleet } = options.desks;
  const handlers: HandlersOf<typeof fleetRoutes> = { ...fleetWorkerHandlers(fleet), ...blackboardHandlers(fleet) };
  routeDoor(app, fleetRouteList, handlers, options);
}
