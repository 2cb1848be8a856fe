// Asks again for what happened elsewhere. An answer that is on its way is let come, and asked for once more after that: where
// answers take longer than things take to happen, none would ever come.

import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";
import type { RouteName } from "./routes.ts";

export interface Onlooker {
  /** Does not want anything to move. */
  readonly isPaused: () => boolean;
  /** Does not see the page. */
  readonly isAway: () => boolean;
}

export function refresher(queries: QueryClient, { isPaused, isAway }: Onlooker): (...routes: RouteName[]) => void {
  const cache = queries.getQueryCache();
  /** What one moment tells twice is asked for once. */
  const routes = new Set<RouteName>();
  /** Hashes of questions that became old while they were being answered. */
  const owed = new Set<string>();

  function askAgain(filters: InvalidateQueryFilters): void {
    // What is only marked as old is asked for when the page is looked at again.
    void queries.invalidateQueries({ ...filters, refetchType: isAway() ? "none" : "active" });
  }

  function refreshAll(): void {
    for (const route of routes) {
      const open = cache.findAll({ queryKey: [route], type: "active" });
      for (const query of open) if (!isIdle(query)) owed.add(query.queryHash);
      askAgain({ queryKey: [route], predicate: isIdle });
    }
    routes.clear();
  }

  cache.subscribe(({ query }) => {
    if (!isIdle(query) || !owed.delete(query.queryHash) || isPaused()) return;
    queueMicrotask(() => askAgain({ queryKey: query.queryKey, exact: true }));
  });

  return (...told) => {
    if (routes.size === 0) queueMicrotask(refreshAll);
    for (const route of told) routes.add(route);
  };
}

function isIdle({ state }: Pick<Query, "state">): boolean {
  return state.fetchStatus === "idle";
}
