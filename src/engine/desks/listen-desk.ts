// Who may listen to what, for doors with lasting connections: workers, to the jobs they serve and the providers they
// are; anyone, to the rooms he may see, or to all of them at once.

import { maySeeRoom, type Principal, requireJob, requireRoomInSight, requireWrite } from "../../core/access.ts";
import { isInSight, type Place, type Sight } from "../../core/feed.ts";
import { checkRoom, parseJobName } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import { parseProviderName } from "../../core/provider.ts";
import { awayTopic, whoKnows } from "../absences.ts";
import { feedTopic } from "../announce.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type TaskNews, watchTask } from "../task-watch.ts";
import type { TaskDesk } from "./task-desk.ts";
import type { WorkerDesk } from "./worker-desk.ts";

export interface ListenDesk {
  /** To be told of tasks of the job. The worker is the caller's, and serves it. A sign of life. */
  job(who: Principal, name: string, worker: string): Promise<void>;
  /** To be asked for what the provider has. The worker is the caller's, and is the provider. A sign of life. */
  provider(who: Principal, name: string, worker: string): Promise<void>;
  room(who: Principal, room: string): void;
  /** What happens in all rooms, as far as it is in sight: the JSON text of events. Returns what ends it. */
  feed(sight: Sight, tell: (event: string) => void): () => void;
  /** To what a task tells of itself while it runs. Throws task-not-found. */
  task(who: Principal, id: string): Promise<void>;
  /** Watches a task that somebody may see. Returns what ends it. */
  follow(id: string, news: TaskNews): () => void;
  /** What is said to a connected worker: a task of its that was cancelled. Returns what ends it. */
  worker(id: string, cancelled: (task: string) => void): () => void;
  /** The worker's last connection to this server is gone; it was last known to be good then. */
  gone(worker: string, since: number): void;
}

export interface ListenDeskParts {
  readonly operations: Pick<Operations, "catalog" | "beat" | "absences">;
  readonly workers: Pick<WorkerDesk, "owned">;
  readonly tasks: Pick<TaskDesk, "record">;
}

export function listenDesk(
  around: Pick<Surroundings, "store" | "bus" | "clock" | "log">,
  { operations, workers, tasks }: ListenDeskParts,
): ListenDesk {
  const { store, bus, log } = around;
  const { catalog, beat, absences } = operations;

  async function serves(worker: string, job: string): Promise<boolean> {
    if (catalog.worker(worker)?.jobs.has(job) === true) return true;
    // It may have registered at another server a moment ago.
    await catalog.refresh();
    return catalog.worker(worker)?.jobs.has(job) === true;
  }

  /** Whoever lost the worker's connection is told that it is here. */
  function answer(worker: string): void {
    if (!bus.wanted(awayTopic(worker))) return;
    // Told in any case: a server of an older version does not say that it waits for anyone.
    const tell = (): void => bus.publish(awayTopic(worker));
    beat(worker)
      .then(tell)
      .catch((error) => log.debug("a connected worker is not known any more", { worker, error }));
  }

  return {
    async job(who, name, worker) {
      requireWrite(who);
      parseJobName(name);
      requireJob(who, name);
      await workers.owned(who, worker);
      if (!(await serves(worker, name)))
        throw new Problem("forbidden", `Worker ${worker} does not serve job '${name}'`);
      await beat(worker);
    },
    async provider(who, name, worker) {
      requireWrite(who);
      const { room } = parseProviderName(name);
      await workers.owned(who, worker);
      const found = maySeeRoom(who, room) ? await store.read("provider", { name }) : null;
      if (found === null) throw new Problem("provider-not-found", `Provider '${name}' does not exist`);
      // What is asked of a provider is for nobody else to hear.
      if (found.worker !== worker) throw new Problem("forbidden", `Worker ${worker} is not provider '${name}'`);
      await beat(worker);
    },
    room(who, room) {
      checkRoom(room);
      requireRoomInSight(who, room);
    },
    feed: (sight, tell) =>
      bus.subscribe(feedTopic, (message) => {
        const end = message.indexOf("\n");
        if (isInSight(sight, JSON.parse(message.slice(0, end)) as Place)) tell(message.slice(end + 1));
      }),
    task: async (who, id) => void (await tasks.record(who, id)),
    follow: (id, news) => watchTask(around, id, news),
    worker: (id, cancelled) =>
      bus.subscribe(`worker:${id}`, (message) => {
        if (message === whoKnows) answer(id);
        else if (message.startsWith("cancel ")) cancelled(message.slice("cancel ".length));
      }),
    gone: (worker, since) => absences.begin(worker, since),
  };
}
