// Every route below the prefix. The door serves them, the OpenAPI document lists them.

import { alertRoutes } from "./alert-routes.ts";
import { callbackRoutes } from "./callback-routes.ts";
import { callerRoutes } from "./caller-routes.ts";
import { jobRoutes } from "./job-routes.ts";
import { nodeRoutes } from "./node-routes.ts";
import { providerRoutes } from "./provider-routes.ts";
import type { RouteSpec } from "./route.ts";
import { specRoutes } from "./spec-routes.ts";
import { submitRoutes } from "./submit-routes.ts";
import { taskRoutes } from "./task-routes.ts";
import { workerRoutes } from "./worker-routes.ts";

export const routes = {
  ...workerRoutes,
  ...alertRoutes,
  ...jobRoutes,
  ...specRoutes,
  ...submitRoutes,
  ...taskRoutes,
  ...providerRoutes,
  ...nodeRoutes,
  ...callerRoutes,
  ...callbackRoutes,
};

export type RouteId = keyof typeof routes;

export const routeList: readonly RouteSpec[] = Object.values(routes);
