// Every route below the prefix. The door serves them, the OpenAPI document lists them.

import { actRoutes } from "./act-routes.ts";
import { alertRoutes } from "./alert-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { bulkRoutes } from "./bulk-routes.ts";
import { callbackRoutes } from "./callback-routes.ts";
import { callerRoutes } from "./caller-routes.ts";
import { controlRoutes } from "./control-routes.ts";
import { explainRoutes } from "./explain-routes.ts";
import { jobRoutes } from "./job-routes.ts";
import { nodeRoutes } from "./node-routes.ts";
import { pauseRoutes } from "./pause-routes.ts";
import { providerRoutes } from "./provider-routes.ts";
import type { RouteSpec } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import { specRoutes } from "./spec-routes.ts";
import { statisticRoutes } from "./statistic-routes.ts";
import { submitRoutes } from "./submit-routes.ts";
import { systemRoutes } from "./system-routes.ts";
import { taskRoutes } from "./task-routes.ts";
import { tokenRoutes } from "./token-routes.ts";
import { watchRoutes } from "./watch-routes.ts";
import { workerRoutes } from "./worker-routes.ts";

export const routes = {
  ...workerRoutes,
  ...watchRoutes,
  ...alertRoutes,
  ...jobRoutes,
  ...specRoutes,
  ...submitRoutes,
  ...taskRoutes,
  ...bulkRoutes,
  ...actRoutes,
  ...explainRoutes,
  ...providerRoutes,
  ...nodeRoutes,
  ...systemRoutes,
  ...callerRoutes,
  ...sessionRoutes,
  ...tokenRoutes,
  ...auditRoutes,
  ...callbackRoutes,
  ...controlRoutes,
  ...pauseRoutes,
  ...statisticRoutes,
};

export type RouteId = keyof typeof routes;

export const routeList: readonly RouteSpec[] = Object.values(routes);
