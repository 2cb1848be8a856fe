// Every page, loaded when it is first looked at. What a page shows is in its address, so that a link shows the same.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from "@tanstack/react-router";
import { pagesPath } from "./api/place.ts";
import { NotHere, PageTrouble } from "./shell/fallbacks.tsx";
import { Layout } from "./shell/layout.tsx";
import { watchSteps } from "./shell/went-back.ts";

type Search = Readonly<Record<string, string>>;

/** Texts alone, whatever a link says. */
function texts(search: Record<string, unknown>): Search {
  const said = Object.entries(search).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return Object.fromEntries(said.map(([key, value]) => [key, String(value)]));
}

const root = createRootRoute({
  component: Layout,
  notFoundComponent: NotHere,
  errorComponent: PageTrouble,
  validateSearch: texts,
});

function page<P extends string>(path: P, component: RouteComponent) {
  return createRoute({ getParentRoute: () => root, path, component });
}

const tree = root.addChildren([
  page(
    "/",
    lazyRouteComponent(() => import("./pages/pulse/pulse-page.tsx"), "PulsePage"),
  ),
  page(
    "/tasks",
    lazyRouteComponent(() => import("./pages/tasks/tasks-page.tsx"), "TasksPage"),
  ),
  page(
    "/tasks/$id",
    lazyRouteComponent(() => import("./pages/task/task-page.tsx"), "TaskPage"),
  ),
  page(
    "/jobs",
    lazyRouteComponent(() => import("./pages/jobs/jobs-page.tsx"), "JobsPage"),
  ),
  page(
    "/jobs/$name",
    lazyRouteComponent(() => import("./pages/jobs/job-page.tsx"), "JobPage"),
  ),
  page(
    "/jobs/$name/run",
    lazyRouteComponent(() => import("./pages/run/run-page.tsx"), "RunPage"),
  ),
  page(
    "/fleet",
    lazyRouteComponent(() => import("./pages/fleet/fleet-page.tsx"), "FleetPage"),
  ),
  page(
    "/fleet/$id",
    lazyRouteComponent(() => import("./pages/worker/worker-page.tsx"), "WorkerPage"),
  ),
  page(
    "/failures",
    lazyRouteComponent(() => import("./pages/failures/failures-page.tsx"), "FailuresPage"),
  ),
  page(
    "/providers",
    lazyRouteComponent(() => import("./pages/providers/providers-page.tsx"), "ProvidersPage"),
  ),
  page(
    "/audit",
    lazyRouteComponent(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
  ),
  page(
    "/health",
    lazyRouteComponent(() => import("./pages/health/health-page.tsx"), "HealthPage"),
  ),
  page(
    "/admin",
    lazyRouteComponent(() => import("./pages/admin/admin-page.tsx"), "AdminPage"),
  ),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: pagesPath,
  defaultPreload: "intent",
  scrollRestoration: false,
  // Plain texts: `?q=state:failed`, which people can read and type.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(said.map(([key, value]) => [key, String(value)])).toString();
    return text === "" ? "" : `?${text}`;
  },
});

watchSteps(router.history);

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
