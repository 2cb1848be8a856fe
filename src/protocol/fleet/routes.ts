// Every route of the fleet's document. They are at the root, not below the prefix of our own.

import type { RouteSpec } from "../rest/route.ts";
import { blackboardRoutes } from "./blackboard-routes.ts";
import { fleetWorkerRoutes } from "./worker-routes.ts";

export const fleetRoutes = { ...fleetWorkerRoutes, ...blackboardRoutes };

export type FleetRouteId = keyof typeof fleetRoutes;

export const fleetRouteList: readonly RouteSpec[] = Object.values(fleetRoutes);
