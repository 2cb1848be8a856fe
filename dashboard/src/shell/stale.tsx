// Answers stay on the screen where the server refuses newer ones, or gives none. Figures that stand still look like a server
// that has nothing to do: it is said of when they are, and why.

import { useSyncExternalStore } from "react";
import { isMissing, tellProblem } from "../api/problem.ts";
import { queries } from "../api/queries.ts";
import { useHappened } from "../live/use-live.ts";
import style from "./shell.module.css";

export function Stale() {
  const old = useSyncExternalStore(watch, oldest);
  // Some questions are asked once a minute: when the server is back, what it owes is asked for at once.
  useHappened(({ workers }) => {
    if (workers.has("*"))
      void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
  });
  return (
    <span role="status" className={style.stale} data-testid="stale" title={old ? tellProblem(old.error) : undefined}>
      {old && `As of ${new Date(old.dataUpdatedAt).toLocaleTimeString()}: ${tellProblem(old.error)}`}
    </span>
  );
}

const cache = queries.getQueryCache();

function watch(watcher: () => void): () => void {
  return cache.subscribe(watcher);
}

/** Of what is on the screen and could not be asked for again; of what is no more, its page tells. */
function oldest() {
  const old = cache.getAll().flatMap((query) => {
    const { state } = query;
    return query.isActive() && state.status === "error" && state.data !== undefined && !isMissing(state.error)
      ? state
      : [];
  });
  return old.reduce<(typeof old)[number] | null>(
    (first, state) => (first === null || state.dataUpdatedAt < first.dataUpdatedAt ? state : first),
    null,
  );
}
