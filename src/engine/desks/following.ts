// Following a task: as it is, then whenever it moves or a line is logged, until it is final or the caller leaves. It
// listens first and looks then, so that nothing slips between; and now and then it looks without having heard anything,
// because a message from another server may be lost.

import type { Principal } from "../../core/access.ts";
import { isFinal } from "../../core/task-row.ts";
import type { LogLine } from "../../ports/records.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TaskSight } from "./task-sight.ts";
import type { TaskView, TaskViews } from "./task-views.ts";

export interface FollowWords {
  readonly signal: AbortSignal;
  /** How many lines of its log the caller has; null: it wants none. */
  readonly logsFrom: number | null;
}

/** The task, one more line of its log, or "still" now and then in between. */
export type News = TaskView | { readonly line: LogLine; readonly number: number } | "still";

export interface FollowingParts {
  readonly views: TaskViews;
  readonly sight: TaskSight;
}

const stillMs = 15_000;
/** Lines read at a time. */
const linesMax = 500;

export function following({ store, bus, clock }: Surroundings, { views, sight }: FollowingParts) {
  async function* follow(who: Principal, id: string, { signal, logsFrom }: FollowWords): AsyncGenerator<News> {
    let news = { moved: true, logged: logsFrom !== null };
    let known = logsFrom ?? 0;
    let seen: number | null = null;
    let wake: () => void = () => undefined;
    const hear = (what: keyof typeof news) => () => {
      news[what] = true;
      wake();
    };
    const rouse = (): void => wake();
    const ends = [bus.subscribe(`task:${id}`, hear("moved"))];
    if (logsFrom !== null) ends.push(bus.subscribe(`log:${id}`, hear("logged")));
    signal.addEventListener("abort", rouse);
    try {
      while (!signal.aborted) {
        const heard = news;
        news = { moved: false, logged: false };
        // Looked at before its log: whatever was logged before the end is told before the end.
        const view = heard.moved ? await views.view(await sight.record(who, id)) : null;
        if (logsFrom !== null) {
          for await (const line of linesFrom(id, known)) {
            known += 1;
            yield { line, number: known };
          }
        }
        seen = view?.record.row.version ?? seen;
        if (view !== null) yield view;
        if (view !== null && isFinal(view.record.row.state)) return;
        const isQuiet = (): boolean => !news.moved && !news.logged && !signal.aborted;
        while (isQuiet()) {
          if (await wokenInTime(isQuiet)) continue;
          yield "still";
          // Looked at first: what is heard meanwhile must not be overwritten by what was seen before.
          const { row } = await sight.record(who, id);
          news.moved ||= row.version !== seen;
          news.logged ||= logsFrom !== null;
        }
      }
    } finally {
      signal.removeEventListener("abort", rouse);
      for (const deafen of ends) deafen();
    }

    function wokenInTime(isQuiet: () => boolean): Promise<boolean> {
      return new Promise((resolve) => {
        const silence = clock.alarm(clock.now() + stillMs, () => resolve(false));
        wake = () => {
          silence();
          resolve(true);
        };
        if (!isQuiet()) wake();
      });
    }
  }

  async function* linesFrom(task: string, from: number): AsyncGenerator<LogLine> {
    for (let offset = from; ; offset += linesMax) {
      const { items } = await store.read("logs", { task, limit: linesMax, offset });
      yield* items;
      if (items.length < linesMax) return;
    }
  }

  return follow;
}
