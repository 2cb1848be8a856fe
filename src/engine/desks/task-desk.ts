// Reading tasks, by someone.

import { maySeeRoom, type Principal } from "../../core/access.ts";
import { checkRoom } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskEvent } from "../../core/task-event.ts";
import type { TaskState } from "../../core/task-row.ts";
import type { LogLine, Refusal, TaskRecord } from "../../ports/records.ts";
import type { Page, PageQuery, TaskFilter } from "../../ports/store-reads.ts";
import { activeJob } from "../active-job.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Waits } from "../waits.ts";
import { type FollowWords, following, type News } from "./following.ts";
import type { TaskSight } from "./task-sight.ts";
import type { TaskView, TaskViews } from "./task-views.ts";
import { waitingTasks } from "./waiting-tasks.ts";

export interface TaskQuery extends PageQuery {
  readonly room?: string;
  /** Full name. */
  readonly job?: string;
  readonly state?: TaskState;
  readonly parent?: string;
  readonly worker?: string;
}

/** A line of the history: a move, or a result that came too late. */
export type HistoryLine = TaskEvent | (Refusal & { readonly times: number });

export interface TaskDesk {
  /** Throws task-not-found, also where the task is not the caller's to see. */
  record(who: Principal, id: string): Promise<TaskRecord>;
  get(who: Principal, id: string): Promise<TaskView>;
  /** As it is when it is final, or when the time is over. */
  untilFinal(who: Principal, id: string, waitMs: number, signal: AbortSignal): Promise<TaskView>;
  follow(who: Principal, id: string, words: FollowWords): AsyncIterable<News>;
  list(who: Principal, query: TaskQuery): Promise<Page<TaskView>>;
  events(who: Principal, id: string, page: PageQuery): Promise<Page<HistoryLine>>;
  logs(who: Principal, id: string, page: PageQuery): Promise<Page<LogLine>>;
}

export interface TaskDeskParts {
  readonly catalog: Catalog;
  readonly views: TaskViews;
  readonly waits: Waits;
  readonly sight: TaskSight;
}

/** How many tasks of a list are read at a time, and how long their texts may be in all. */
const sliceMax = 100;
const pageLengthMax = 32 * 2 ** 20;

export function taskDesk(around: Surroundings, parts: TaskDeskParts): TaskDesk {
  const { store } = around;
  const { catalog, views, waits, sight } = parts;
  const explained = waitingTasks(around, catalog);

  async function list(who: Principal, { room, job, ...query }: TaskQuery): Promise<Page<TaskView>> {
    const rooms = roomsFor(who, room);
    const lanes = job === undefined ? undefined : catalog.lanesOfJob((await activeJob(catalog, job)).name);
    if (rooms?.length === 0 || lanes?.length === 0) return { items: [], total: 0, totalExact: true };
    const filter: TaskFilter & PageQuery = {
      ...query,
      ...(rooms !== undefined && { rooms }),
      ...(lanes !== undefined && { lanes }),
    };
    const page = await readInSlices(filter);
    return { ...page, items: await views.views(page.items) };
  }

  /** Not more is read than is answered: five hundred payloads of the largest size would fill the memory. */
  async function readInSlices(filter: TaskFilter & PageQuery): Promise<Page<TaskRecord>> {
    const { limit, offset } = filter;
    const found = new Map<string, TaskRecord>();
    let length = 0;
    for (let at = 0; ; at += sliceMax) {
      const wanted = Math.min(sliceMax, limit - at);
      const slice = await store.read("taskList", { ...filter, limit: wanted, offset: offset + at });
      // A task that was submitted meanwhile pushes others on into the next slice.
      for (const record of slice.items) found.set(record.card.id, record);
      length += slice.items.reduce((sum, record) => sum + lengthOf(record), 0);
      if (length > pageLengthMax) {
        throw new Problem("payload-too-large", "These tasks are too large for one answer: ask for fewer, with limit");
      }
      if (slice.items.length < wanted || at + wanted >= limit) return { ...slice, items: [...found.values()] };
    }
  }

  async function events(who: Principal, id: string, page: PageQuery): Promise<Page<HistoryLine>> {
    await sight.record(who, id);
    const { items, refusals, total, totalExact } = await store.read("events", { task: id, ...page });
    // Refusals follow the moves: they are few, and belong to the end of the story.
    const room = page.limit - items.length;
    const from = Math.max(0, page.offset - total);
    const late = room > 0 && page.offset + page.limit >= total ? refusals.slice(from, from + room) : [];
    return { items: [...items, ...late], total: total + refusals.length, totalExact };
  }

  return {
    record: sight.record,
    follow: following(around, { views, sight }),
    get: async (who, id) => explained(await views.view(await sight.record(who, id))),
    async untilFinal(who, id, waitMs, signal) {
      return explained(await views.view(await sight.seen(who, id, await waits.untilFinal(id, waitMs, signal))));
    },
    list,
    events,
    async logs(who, id, page) {
      await sight.record(who, id);
      return store.read("logs", { task: id, ...page });
    },
  };
}

function lengthOf({ payload, outcome }: TaskRecord): number {
  return payload.length + (outcome?.result?.length ?? 0) + (outcome?.error?.details?.length ?? 0);
}

/** The rooms to look into; undefined for all of them. */
function roomsFor(who: Principal, room: string | undefined): readonly string[] | undefined {
  if (room === undefined) return who.rooms === null ? undefined : [...who.rooms, "@global", "@internal"];
  checkRoom(room);
  return maySeeRoom(who, room) ? [room] : [];
}
