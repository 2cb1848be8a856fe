// Reading tasks. Whoever may not see a task's room, and was never given the task, is told that there is no such task.

import { maySeeRoom, mayUseJob, type Principal } from "../../core/access.ts";
import { checkRoom } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskEvent } from "../../core/task-event.ts";
import { isFinal, type TaskState } from "../../core/task-row.ts";
import type { LogLine, Refusal, TaskRecord } from "../../ports/records.ts";
import type { Page, PageQuery, TaskFilter } from "../../ports/store-reads.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Waits } from "../waits.ts";
import type { Holders } from "./holders.ts";
import type { TaskView, TaskViews } from "./task-views.ts";

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
  /** Throws task-not-found, also where the room is not the caller's to see. */
  record(who: Principal, id: string): Promise<TaskRecord>;
  get(who: Principal, id: string): Promise<TaskView>;
  /** As it is when it is final, or when the time is over. */
  untilFinal(who: Principal, id: string, waitMs: number, signal: AbortSignal): Promise<TaskView>;
  /** As it is, then whenever it moves, until it is final or the signal aborts; "still" now and then in between. */
  follow(who: Principal, id: string, signal: AbortSignal): AsyncIterable<TaskView | "still">;
  list(who: Principal, query: TaskQuery): Promise<Page<TaskView>>;
  events(who: Principal, id: string, page: PageQuery): Promise<Page<HistoryLine>>;
  logs(who: Principal, id: string, page: PageQuery): Promise<Page<LogLine>>;
}

export interface TaskDeskParts {
  readonly catalog: Catalog;
  readonly views: TaskViews;
  readonly waits: Waits;
  readonly holders: Holders;
}

const stillMs = 15_000;

export function taskDesk({ store, bus, clock }: Surroundings, parts: TaskDeskParts): TaskDesk {
  const { catalog, views, waits, holders } = parts;

  async function visible(who: Principal, id: string, found: TaskRecord | undefined): Promise<TaskRecord> {
    if (found !== undefined && maySeeRoom(who, found.card.room)) return found;
    if (found !== undefined && (await wasGiven(who, found))) return found;
    throw new Problem("task-not-found", `Task ${id} does not exist`);
  }

  /** By a claim, which hands out tasks of every room: as much as a token with these limits could have claimed. */
  async function wasGiven(who: Principal, task: TaskRecord): Promise<boolean> {
    const job = catalog.lane(task.card.lane)?.job;
    return job !== undefined && mayUseJob(who, job) && holders.hadIt(who, task);
  }

  async function record(who: Principal, id: string): Promise<TaskRecord> {
    const [found] = await store.read("tasks", { ids: [id] });
    return visible(who, id, found);
  }

  async function list(who: Principal, { room, job, ...query }: TaskQuery): Promise<Page<TaskView>> {
    const rooms = roomsFor(who, room);
    const lanes = job === undefined ? undefined : await lanesOf(job);
    if (rooms?.length === 0 || lanes?.length === 0) return { items: [], total: 0, totalExact: true };
    const filter: TaskFilter & PageQuery = {
      ...query,
      ...(rooms !== undefined && { rooms }),
      ...(lanes !== undefined && { lanes }),
    };
    const page = await store.read("taskList", filter);
    return { ...page, items: await views.views(page.items) };
  }

  async function lanesOf(name: string): Promise<readonly number[]> {
    const known = catalog.job(name);
    if (known === undefined || known.deleted) await catalog.refresh();
    const job = catalog.job(name);
    if (job === undefined || job.deleted) throw new Problem("job-not-found", `Job '${name}' does not exist`);
    return catalog.lanesOfJob(name);
  }

  async function events(who: Principal, id: string, page: PageQuery): Promise<Page<HistoryLine>> {
    await record(who, id);
    const { items, refusals, total, totalExact } = await store.read("events", { task: id, ...page });
    // Refusals follow the moves: they are few, and belong to the end of the story.
    const room = page.limit - items.length;
    const from = Math.max(0, page.offset - total);
    const late = room > 0 && page.offset + page.limit >= total ? refusals.slice(from, from + room) : [];
    return { items: [...items, ...late], total: total + refusals.length, totalExact };
  }

  async function* follow(who: Principal, id: string, signal: AbortSignal): AsyncGenerator<TaskView | "still"> {
    let wake: () => void = () => undefined;
    let moved = false;
    const rouse = (): void => wake();
    const deafen = bus.subscribe(`task:${id}`, () => {
      moved = true;
      wake();
    });
    signal.addEventListener("abort", rouse);
    try {
      while (!signal.aborted) {
        moved = false;
        const view = await views.view(await record(who, id));
        yield view;
        if (isFinal(view.record.row.state)) return;
        while (!moved && !signal.aborted) {
          const woken = await new Promise<boolean>((resolve) => {
            const silence = clock.alarm(clock.now() + stillMs, () => resolve(false));
            wake = () => {
              silence();
              resolve(true);
            };
            if (moved || signal.aborted) wake();
          });
          if (woken) break;
          yield "still";
        }
      }
    } finally {
      signal.removeEventListener("abort", rouse);
      deafen();
    }
  }

  return {
    record,
    follow,
    get: async (who, id) => views.view(await record(who, id)),
    async untilFinal(who, id, waitMs, signal) {
      return views.view(await visible(who, id, await waits.untilFinal(id, waitMs, signal)));
    },
    list,
    events,
    async logs(who, id, page) {
      await record(who, id);
      return store.read("logs", { task: id, ...page });
    },
  };
}

/** The rooms to look into; undefined for all of them. */
function roomsFor(who: Principal, room: string | undefined): readonly string[] | undefined {
  if (room === undefined) return who.rooms === null ? undefined : [...who.rooms, "@global", "@internal"];
  checkRoom(room);
  return maySeeRoom(who, room) ? [room] : [];
}
