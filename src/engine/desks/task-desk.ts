// Reading tasks, by someone.

import type { Principal } from "../../core/access.ts";
import { documentName, isOperation } from "../../core/document-names.ts";
import type { TaskEvent } from "../../core/task-event.ts";
import { type TaskRights, taskRights } from "../../core/task-rights.ts";
import { isFinal, type TaskState } from "../../core/task-row.ts";
import type { LogLine, Refusal, TaskRecord } from "../../ports/records.ts";
import type { Page, PageQuery, TaskFilter } from "../../ports/store-reads.ts";
import { activeJob } from "../active-job.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Waits } from "../waits.ts";
import { type FollowWords, following, type News } from "./following.ts";
import type { Holders } from "./holders.ts";
import { pageLength } from "./page-length.ts";
import { roomsFor, taskPicks } from "./task-picks.ts";
import { type SearchPage, type TaskCount, taskSearch } from "./task-search.ts";
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
  /** In the language of core/task-query.ts. */
  readonly q?: string;
  /** Below this id, where an earlier page ended. */
  readonly before?: string;
  /** False: without payloads, results and details. */
  readonly payloads?: boolean;
}

export interface TaskPage extends Page<TaskView> {
  /** Where the next page begins; null where there is nothing further. */
  readonly next: string | null;
  /** Where a search was cut short: how far back it came. */
  readonly through: number | null;
}

/** A line of the history: a move, or a result that came too late. */
export type HistoryLine = (TaskEvent | (Refusal & { readonly times: number })) & {
  /** What the document of worker queues calls it, null where it has no word; absent where the task is none of its. */
  readonly name?: string | null;
};

export interface TaskDesk {
  /** Throws task-not-found, also where the task is not the caller's to see. */
  record(who: Principal, id: string): Promise<TaskRecord>;
  get(who: Principal, id: string): Promise<TaskView>;
  /** What he may do to it. */
  rights(who: Principal, task: TaskView): Promise<TaskRights>;
  /** As it is when it is final, or when the time is over. */
  untilFinal(who: Principal, id: string, waitMs: number, signal: AbortSignal): Promise<TaskView>;
  follow(who: Principal, id: string, words: FollowWords): AsyncIterable<News>;
  list(who: Principal, query: TaskQuery): Promise<TaskPage>;
  /** Of all that the words pick and he may see. */
  count(who: Principal, q: string): Promise<TaskCount>;
  events(who: Principal, id: string, page: PageQuery): Promise<Page<HistoryLine>>;
  logs(who: Principal, id: string, page: PageQuery): Promise<Page<LogLine>>;
}

export interface TaskDeskParts {
  readonly catalog: Catalog;
  readonly views: TaskViews;
  readonly waits: Waits;
  readonly sight: TaskSight;
  readonly holders: Pick<Holders, "ownerOf">;
}

/** How many tasks of a list are read at a time. */
const sliceMax = 100;

export function taskDesk(around: Surroundings, parts: TaskDeskParts): TaskDesk {
  const { store, clock, settings } = around;
  const { catalog, views, waits, sight, holders } = parts;
  const explained = waitingTasks(around, catalog);
  const search = taskSearch(around);
  const pickOf = taskPicks(catalog);

  async function list(who: Principal, { room, job, q, before, payloads = true, ...query }: TaskQuery) {
    const rooms = roomsFor(who, room);
    const lanes = job === undefined ? undefined : catalog.lanesOfJob((await activeJob(catalog, job)).name);
    const filter: TaskFilter & PageQuery = {
      ...query,
      ...(rooms !== undefined && { rooms }),
      ...(lanes !== undefined && { lanes }),
    };
    const isPlain = q === undefined && before === undefined && payloads;
    const page = isPlain ? await plainPage(filter) : await searched(who, filter, { q: q ?? "", before, payloads });
    return { ...page, items: await views.views(page.items) };
  }

  async function plainPage(filter: TaskFilter & PageQuery): Promise<SearchPage> {
    const isNone = filter.rooms?.length === 0 || filter.lanes?.length === 0;
    const page = isNone ? { items: [], total: 0, totalExact: true } : await readInSlices(filter);
    const isLast = page.totalExact && filter.offset + page.items.length >= page.total;
    return { ...page, next: isLast ? null : (page.items.at(-1)?.card.id ?? null), through: null };
  }

  async function searched(
    who: Principal,
    filter: TaskFilter & PageQuery,
    { q, before, payloads }: { readonly q: string; readonly before: string | undefined; readonly payloads: boolean },
  ): Promise<SearchPage> {
    const pick = pickOf({ q, pointer: "/query/q", now: clock.now(), filter });
    const { limit, offset } = filter;
    return search.page(who, pick, { limit, offset, before: before ?? null, payloads });
  }

  async function readInSlices(filter: TaskFilter & PageQuery): Promise<Page<TaskRecord>> {
    const { limit, offset } = filter;
    const found = new Map<string, TaskRecord>();
    const checkLength = pageLength();
    for (let at = 0; ; at += sliceMax) {
      const wanted = Math.min(sliceMax, limit - at);
      const slice = await store.read("taskList", { ...filter, limit: wanted, offset: offset + at });
      // A task that was submitted meanwhile pushes others on into the next slice.
      for (const record of slice.items) found.set(record.card.id, record);
      checkLength(slice.items);
      if (slice.items.length < wanted || at + wanted >= limit) return { ...slice, items: [...found.values()] };
    }
  }

  async function events(who: Principal, id: string, page: PageQuery): Promise<Page<HistoryLine>> {
    const { card } = await sight.record(who, id);
    const { items, refusals, total, totalExact } = await store.read("events", { task: id, ...page });
    // Refusals follow the moves: they are few, and belong to the end of the story.
    const room = page.limit - items.length;
    const from = Math.max(0, page.offset - total);
    const late = room > 0 && page.offset + page.limit >= total ? refusals.slice(from, from + room) : [];
    const lines = [...items, ...late];
    const shown = isOfDocument(card.lane) ? lines.map(named) : lines;
    return { items: shown, total: total + refusals.length, totalExact };
  }

  /** It came by a queue of the broker, or is what the document calls an operation. */
  function isOfDocument(lane: number): boolean {
    const { queue, job } = catalog.lane(lane) ?? { queue: "", job: "" };
    return settings.brokerQueues.has(queue) || isOperation(job);
  }

  return {
    record: sight.record,
    follow: following(around, { views, sight }),
    get: async (who, id) => explained(await views.view(await sight.record(who, id))),
    async untilFinal(who, id, waitMs, signal) {
      return explained(await views.view(await sight.seen(who, id, await waits.untilFinal(id, waitMs, signal))));
    },
    list,
    async rights(who, { record: { card, row }, job }) {
      // Who ended it does not hold it any more.
      const worker = isFinal(row.state) ? null : row.worker;
      const holder = worker === null ? null : { owner: await holders.ownerOf(worker) };
      return taskRights(who, { submitter: card.submitter, room: card.room, job, holder });
    },
    async count(who, q) {
      const rooms = roomsFor(who, undefined);
      const filter = rooms === undefined ? {} : { rooms };
      return search.count(who, pickOf({ q, pointer: "/query/q", now: clock.now(), filter }));
    },
    events,
    async logs(who, id, page) {
      await sight.record(who, id);
      return store.read("logs", { task: id, ...page });
    },
  };
}

function named(line: HistoryLine): HistoryLine {
  return { ...line, name: "version" in line ? documentName(line) : null };
}
