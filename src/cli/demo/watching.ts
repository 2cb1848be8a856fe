// What the demo shows, asked of the server as anybody may ask it: the newest tasks of the room, whoever submitted them, and
// those that were open when last seen.

import type { RestApi } from "../../sdk/rest-api.ts";
import { isFinal, type PageAnswer, type TaskAnswer, type WorkerLine } from "../answers.ts";
import { demoRoom } from "./sample-jobs.ts";

export interface View {
  /** Open tasks and those that ended lately, oldest first. */
  readonly tasks: readonly TaskAnswer[];
  readonly workers: readonly WorkerLine[];
  readonly counts: Counts;
  /** Tasks that ended, over the last seconds. */
  readonly perSecond: number;
}

export interface Counts {
  readonly submitted: number;
  readonly pending: number;
  /** In the hands of workers. */
  readonly running: number;
  readonly completed: number;
  /** Tries that failed and were followed by another. */
  readonly retried: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface Watching {
  look(): Promise<View>;
}

const newest = 60;
const speedMs = 5_000;

export function watching(api: Pick<RestApi, "request">, now: () => number): Watching {
  /** The tries of each task that was seen, infinite where it is over; there are some thousand in an hour. */
  const seen = new Map<string, number>();
  const open = new Map<string, TaskAnswer>();
  const ended = { completed: 0, failed: 0, cancelled: 0 };
  const endings: number[] = [];
  const startedAt = now();
  let isFirst = true;
  let retried = 0;

  function note(task: TaskAnswer): void {
    const before = seen.get(task.id);
    const isOver = isFinal(task);
    // What ended before the demo began is not of the demo.
    if (isFirst && isOver) seen.set(task.id, Number.POSITIVE_INFINITY);
    if (before === Number.POSITIVE_INFINITY || (isFirst && isOver)) return;
    // A worker that was lost is no try that failed.
    const tries = task.attempt - task.losses;
    retried += Math.max(0, tries - Math.max(1, before ?? 1));
    seen.set(task.id, isOver ? Number.POSITIVE_INFINITY : tries);
    if (!isOver) {
      open.set(task.id, task);
      return;
    }
    open.delete(task.id);
    ended[task.status as keyof typeof ended] += 1;
    endings.push(now());
  }

  function counts(): Counts {
    const pending = [...open.values()].filter(({ status }) => status === "pending").length;
    const submitted = open.size + ended.completed + ended.failed + ended.cancelled;
    return { submitted, pending, running: open.size - pending, retried, ...ended };
  }

  function perSecond(): number {
    while ((endings[0] ?? Number.POSITIVE_INFINITY) < now() - speedMs) endings.shift();
    return endings.length / (Math.max(1_000, Math.min(speedMs, now() - startedAt)) / 1_000);
  }

  return {
    async look() {
      const [{ body: page }, { body: workers }] = await Promise.all([
        api.request<PageAnswer<TaskAnswer>>("GET", `/rooms/${demoRoom}/tasks?limit=${newest}`),
        api.request<PageAnswer<WorkerLine>>("GET", `/workers?room=${demoRoom}`),
      ]);
      const listed = new Set(page.items.map(({ id }) => id));
      const others = [...open.keys()].filter((id) => !listed.has(id));
      const older = await Promise.all(
        others.map(async (id) => (await api.request<TaskAnswer>("GET", `/tasks/${id}`)).body),
      );
      const tasks = [...page.items, ...older].toSorted((one, two) => (one.id < two.id ? -1 : 1));
      for (const task of tasks) note(task);
      isFirst = false;
      const crew = workers.items.toSorted((one, two) => ((one.name ?? "") < (two.name ?? "") ? -1 : 1));
      return { tasks, workers: crew, counts: counts(), perSecond: perSecond() };
    },
  };
}
