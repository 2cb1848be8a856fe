// Workers that go. Where a server, a rack or a network is gone, thousands fall silent at once: those that go together are
// written together, as those that come are.

import type { WorkerRecord } from "../ports/records.ts";
import type { Amendment, AmendView } from "../ports/store.ts";
import type { Catalog } from "./catalog.ts";
import { groupCommit } from "./group-commit.ts";
import type { Surroundings } from "./surroundings.ts";

/** What becomes of one of them. */
export type Gone<T> = Pick<Amendment<T>, "answer" | "workers" | "jobs" | "providersGone" | "workerEvents" | "audit">;

export interface Departure<T> {
  readonly id: string;
  /** The jobs that it lets go of, where it goes for good; null where it may come back. */
  readonly links: readonly string[] | null;
  /** Sees its own providers, and its jobs as those before it have left them. */
  decide(worker: WorkerRecord | undefined, now: number, view: AmendView): Gone<T>;
}

export type Depart = <T>(departure: Departure<T>) => Promise<T>;

/** So many at once; each of them holds locks for all. */
const togetherMax = 100;

export function departures(
  { store, clock, bus, settings }: Surroundings,
  { catalog }: { readonly catalog: Pick<Catalog, "refresh"> },
): Depart {
  const together = groupCommit<Departure<unknown>, Gone<unknown> | "again">({
    run: (batch) => write(batch),
    weightMax: Math.min(togetherMax, settings.batchMax),
    width: 1,
  });

  async function write(batch: readonly Departure<unknown>[]): Promise<readonly (Gone<unknown> | "again")[]> {
    const ids = batch.map(({ id }) => id);
    const jobs = [...new Set(batch.flatMap(({ links }) => links ?? []))];
    const providersOf = batch.filter(({ links }) => links !== null).map(({ id }) => id);
    const { answer } = await store.amend({ jobs, workers: ids, providersOf }, (view) => decide(batch, view));
    await catalog.refresh();
    bus.publish("catalog");
    return answer;
  }

  function decide(
    batch: readonly Departure<unknown>[],
    view: AmendView,
  ): Amendment<readonly (Gone<unknown> | "again")[]> {
    const now = clock.now();
    const seen = new Set<string>();
    let { jobs } = view;
    const answer = batch.map(({ id, links, decide }) => {
      // Whoever goes twice has to be seen twice.
      if (seen.has(id)) return "again";
      seen.add(id);
      const providers = new Map([...view.providers].filter(([, { worker }]) => worker === id));
      const worker = view.workers.get(id);
      const gone = decide(worker, now, { ...view, jobs, providers });
      if (links !== null && (gone.workers ?? []).length > 0) jobs = servedByOneLess(jobs, worker);
      return gone;
    });
    const all = answer.filter((gone) => gone !== "again");
    return {
      answer,
      workers: all.flatMap(({ workers = [] }) => workers),
      jobs: all.flatMap(({ jobs: marked = [] }) => marked),
      providersGone: all.flatMap(({ providersGone = [] }) => providersGone),
      workerEvents: all.flatMap(({ workerEvents = [] }) => workerEvents),
      audit: all.flatMap(({ audit = [] }) => audit),
    };
  }

  let isGoing = false;
  /** Waits for nobody: one that is here and is removed comes back as soon as it hears of it, and the removal is to be sooner. */
  async function atOnce(departure: Departure<unknown>): Promise<Gone<unknown> | "again"> {
    isGoing = true;
    try {
      const [gone = "again"] = await write([departure]);
      return gone;
    } finally {
      isGoing = false;
    }
  }

  return async <T>(departure: Departure<T>): Promise<T> => {
    const one = departure as Departure<unknown>;
    let gone = isGoing ? await together.call(one) : await atOnce(one);
    while (gone === "again") gone = await atOnce(one);
    return gone.answer as T;
  };
}

function servedByOneLess(jobs: AmendView["jobs"], worker: WorkerRecord | undefined): AmendView["jobs"] {
  return new Map(
    [...jobs].map(([name, job]) => [name, worker?.jobs.has(name) ? { ...job, workers: job.workers - 1 } : job]),
  );
}
