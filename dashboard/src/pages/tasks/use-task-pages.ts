import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from "react";
import { feed } from "../../live/feed.ts";
import { useHappened } from "../../live/use-live.ts";
import { askTasks } from "./asks.ts";
import { type PagesView, TaskPages } from "./task-pages.ts";

/** The top is looked at that often when something happened, */
const lookMs = 1_000;
/** and that often when nothing did: time alone makes tasks match `age>5m`. */
const idleMs = 10_000;

export interface ShownPages {
  readonly pages: TaskPages;
  readonly view: PagesView;
}

export function useTaskPages(query: string, follows: boolean): ShownPages {
  const pages = useMemo(() => new TaskPages((cursor, signal) => askTasks(query, cursor, signal)), [query]);
  const view = useSyncExternalStore(pages.watch, pages.view);
  useEffect(() => {
    pages.start();
    return () => pages.stop();
  }, [pages]);
  useLook(pages, follows);
  return { pages, view };
}

function useLook(pages: TaskPages, follows: boolean): void {
  const look = useEffectEvent(() => {
    if (!document.hidden && feed.view().state !== "paused") void pages.look(follows);
  });
  useHappened(({ tasks }) => pages.heard(tasks));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = null;
        look();
      }, lookMs);
    };
    const stop = feed.listen(({ tasks, workers }) => {
      if (tasks.length > 0 || workers.has("*")) soon();
    });
    const idle = setInterval(soon, idleMs);
    return () => {
      stop();
      clearInterval(idle);
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  // Whoever comes back to the top wants to see what is there.
  useEffect(() => {
    if (follows) look();
  }, [follows]);
}
