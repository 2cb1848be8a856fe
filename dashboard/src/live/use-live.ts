import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { refresh } from "../api/queries.ts";
import type { RouteName } from "../api/routes.ts";
import { type FeedView, feed, type Happened } from "./feed.ts";

export function useFeed(): FeedView {
  return useSyncExternalStore(feed.watch, feed.view);
}

export function useHappened(listener: (happened: Happened) => void): void {
  const heard = useEffectEvent(listener);
  useEffect(() => feed.listen((happened) => heard(happened)), []);
}

export type Subject = "tasks" | "workers" | "jobs" | "providers" | "alerts";

/** Asks these routes again when something of that kind happened, but not more often than that. */
export function useRefresh(subjects: readonly Subject[], routes: readonly RouteName[], everyMs = 1_000): void {
  const wanted = subjects.join();
  const named = routes.join();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let last = 0;
    const look = () => {
      timer = null;
      if (feed.view().state === "paused") return;
      last = performance.now();
      refresh(...(named.split(",") as RouteName[]));
    };
    const stop = feed.listen((happened) => {
      if (timer !== null || !wanted.split(",").some((subject) => concerns(happened, subject as Subject))) return;
      timer = setTimeout(look, Math.max(0, last + everyMs - performance.now()));
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [wanted, named, everyMs]);
}

function concerns(happened: Happened, subject: Subject): boolean {
  if (happened.workers.has("*")) return true;
  if (subject === "tasks") return happened.tasks.length > 0;
  if (subject === "workers") return happened.workers.size > 0;
  return happened[subject];
}
