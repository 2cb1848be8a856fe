// Every route below the prefix. The door serves them, the OpenAPI document lists them.

import { alertRoutes } from "./alert-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { callbackRoutes } from "./callback-routes.ts";
import { callerRoutes } from "./caller-routes.ts";
import { controlRoutes } from "./control-routes.ts";
import { explainRoutes } from "./explain-routes.ts";
import { jobRoutes } from "./job-routes.ts";
import { nodeRoutes } from "./node-routes.ts";
import { pauseRoutes } from "./pause-routes.ts";
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
  ...explainRoutes,
  ...providerRoutes,
  ...nodeRoutes,
  ...callerRoutes,
  ...auditRoutes,
  ...callbackRoutes,
  ...controlRoutes,
  ...pauseRoutes,
};

export type RouteId = keyof typeof routes;

export const routeList: readonly RouteSpec[] = Object.values(routes);
