import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from "react";
import { type Session, useSession } from "../../api/session.ts";
import { feed } from "../../live/feed.ts";
import { useHappened } from "../../live/use-live.ts";
import { wentBack } from "../../shell/went-back.ts";
import { askTasks } from "./asks.ts";
import { type PagesView, TaskPages } from "./task-pages.ts";

/** The top is looked at that often when something happened, */
const lookMs = 1_000;
/** and that often when nothing did: time alone makes tasks match `age>5m`. */
const idleMs = 10_000;

/** Less than this is still the top. */
export const topPixels = 4;

export interface ShownPages {
  readonly pages: TaskPages;
  readonly view: PagesView;
}

/** The list that was left last: whoever opens a task and comes back finds it where it was; somebody else does not. */
let left: { readonly query: string; readonly session: Session; readonly pages: TaskPages } | null = null;

function pagesFor(query: string, session: Session): TaskPages {
  if (left?.query === query && left.session === session && wentBack()) return left.pages;
  return new TaskPages((cursor, signal) => askTasks(query, cursor, signal));
}

export function useTaskPages(query: string, follows: boolean): ShownPages {
  const session = useSession();
  const pages = useMemo(() => pagesFor(query, session), [query, session]);
  const view = useSyncExternalStore(pages.watch, pages.view);
  useEffect(() => {
    pages.start();
    return () => {
      pages.leave();
      left = { query, session, pages };
    };
  }, [pages, query, session]);
  useLook(pages, follows);
  return { pages, view };
}

function useLook(pages: TaskPages, follows: boolean): void {
  const look = useEffectEvent(() => {
    // A list that was come back to is not at its top, though no event has said so yet.
    const atTop = follows && pages.scrolledTo < topPixels;
    if (!document.hidden && feed.view().state !== "paused") void pages.look(atTop);
  });
  useHappened(({ tasks, workers }) => {
    if (workers.has("*")) pages.missed();
    pages.heard(tasks);
  });
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
    document.addEventListener("visibilitychange", soon);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", soon);
      clearInterval(idle);
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  // Whoever comes back, to the list or to its top, wants to see what is there.
  useEffect(() => {
    if (follows || pages.view().rows > 0) look();
  }, [pages, follows]);
}
