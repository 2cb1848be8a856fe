// Jobs and queues that nobody is given anything of, by an admin's word; and the queues there are.

import { type Principal, requireSuperuser } from "../../core/access.ts";
import { globalRoom } from "../../core/name.ts";
import { counting, isPaused, type Pause } from "../../core/pause.ts";
import { badField } from "../../core/problem.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { checkUntil, type Noted } from "./control-desk.ts";
import type { JobDesk } from "./job-desk.ts";
import { pageOf } from "./page.ts";
import type { WorkerDesk } from "./worker-desk.ts";

export interface QueueView {
  readonly name: string;
  /** Of the jobs that are his to see, by a count that may be some seconds old. */
  readonly waiting: number;
  readonly held: number;
  readonly pause: Pause | null;
}

export interface PauseDesk {
  pause(
    who: Principal,
    kind: "job" | "queue",
    name: string,
    words: Noted & { readonly until: number | null },
  ): Promise<Pause>;
  /** The pause that has ended; null where there was none. */
  resume(who: Principal, kind: "job" | "queue", name: string, words: Noted): Promise<Pause | null>;
  /** What counts now and is his to see, by kind and name. */
  pauses(who: Principal, page: PageQuery): Page<Pause>;
  queues(who: Principal, page: PageQuery): Promise<Page<QueueView>>;
}

export interface PauseDeskParts {
  readonly operations: Pick<Operations, "control" | "catalog" | "depths">;
  readonly jobs: JobDesk;
  readonly workers: WorkerDesk;
}

export function pauseDesk({ clock }: Surroundings, { operations, jobs, workers }: PauseDeskParts): PauseDesk {
  const { control, catalog, depths } = operations;

  async function check(who: Principal, kind: "job" | "queue", name: string): Promise<void> {
    requireSuperuser(who);
    if (kind === "job") await jobs.get(who, globalRoom, name);
    else if (name === "") throw badField("/queue", "must not be empty");
  }

  function isSeen(who: Principal, { kind, name }: Pause): boolean {
    if (kind === "queue") return true;
    if (kind === "job") return jobs.maySee(who, name);
    const worker = catalog.worker(name);
    return worker !== undefined && workers.maySee(who, worker);
  }

  async function queues(who: Principal): Promise<QueueView[]> {
    const now = clock.now();
    const counts = new Map<string, { waiting: number; held: number }>();
    const add = (queue: string, waiting: number, held: number): void => {
      const before = counts.get(queue) ?? { waiting: 0, held: 0 };
      counts.set(queue, { waiting: before.waiting + waiting, held: before.held + held });
    };
    for (const { queue, job } of catalog.lanes()) if (jobs.maySee(who, job)) add(queue, 0, 0);
    for (const { kind, name } of catalog.pauses()) if (kind === "queue") add(name, 0, 0);
    for (const { lane, ready, delayed, held } of await depths.lanes()) {
      const { queue, job } = catalog.lane(lane) ?? {};
      if (queue !== undefined && job !== undefined && jobs.maySee(who, job)) add(queue, ready + delayed, held);
    }
    return [...counts]
      .map(([name, count]) => ({ name, ...count, pause: counting(catalog.pause("queue", name), now) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    async pause(who, kind, name, { note, until }) {
      await check(who, kind, name);
      checkUntil(until, clock.now());
      return control.pause({ who, note }, kind, name, until);
    },
    async resume(who, kind, name, { note }) {
      await check(who, kind, name);
      return control.resume({ who, note }, kind, name);
    },
    pauses(who, page) {
      const now = clock.now();
      const all = [...catalog.pauses()].filter((pause) => isPaused(pause, now) && isSeen(who, pause));
      const text = ({ kind, name }: Pause): string => `${kind} ${name}`;
      return pageOf(
        all.sort((a, b) => (text(a) < text(b) ? -1 : 1)),
        page,
      );
    },
    queues: async (who, page) => pageOf(await queues(who), page),
  };
}
