// Workers that come, or come back. After a server was away thousands come at once, and each has only its window to be
// heard: those that come together are written together.

import { Problem } from "../core/problem.ts";
import type { WorkerEvent, WorkerRecord } from "../ports/records.ts";
import { type Amendment, type AmendView, rowsMax } from "../ports/store.ts";
import type { Beats } from "./beats.ts";
import type { Catalog } from "./catalog.ts";
import { groupCommit } from "./group-commit.ts";
import type { Leaving, LettingGo } from "./letting-go.ts";
import { adopted } from "./orphans.ts";
import type { Surroundings } from "./surroundings.ts";

/** A worker that is there again, and what it leaves behind. */
export interface Return {
  readonly worker: WorkerRecord;
  readonly event: WorkerEvent;
  readonly leaving: Leaving;
}

/** May throw a Problem. */
export type DecideReturn = (known: WorkerRecord | undefined, now: number, view: AmendView) => Return;

/** `links` are the jobs that come back with the worker. */
export type ComeBack = (id: string, links: readonly string[], decide: DecideReturn) => Promise<WorkerRecord>;

export interface ArrivalParts {
  readonly catalog: Pick<Catalog, "refresh">;
  readonly beats: Pick<Beats, "seen">;
  readonly lettingGo: Pick<LettingGo, "committed">;
}

interface Arrival {
  readonly id: string;
  readonly links: readonly string[];
  readonly decide: DecideReturn;
}

/** So many at once; each of them holds locks for all. */
const togetherMax = 100;

export function arrivals({ store, clock, bus, settings }: Surroundings, parts: ArrivalParts): ComeBack {
  const { catalog, beats, lettingGo } = parts;
  const together = groupCommit<Arrival, Return | Problem | "alone">({
    run: (batch) => write(batch),
    weightMax: Math.min(togetherMax, settings.batchMax),
    width: 1,
  });

  async function write(batch: readonly Arrival[]): Promise<readonly (Return | Problem | "alone")[]> {
    const ids = batch.map(({ id }) => id);
    const jobs = [...new Set(batch.flatMap(({ links }) => links))];
    const { answer } = await store.amend({ jobs, workers: ids, heldBy: ids }, (view) => decide(batch, view));
    await catalog.refresh();
    bus.publish("catalog");
    for (const each of answer) if (isReturn(each)) lettingGo.committed(each.leaving);
    return answer;
  }

  function decide(batch: readonly Arrival[], view: AmendView): Amendment<readonly (Return | Problem | "alone")[]> {
    const seen = new Set<string>();
    const now = clock.now();
    const answer = batch.map(({ id, decide }) => {
      // What all of them hold may be more than one look shows, and whoever comes twice has to be seen twice.
      if (batch.length > 1 && (view.tasks.size > rowsMax / 2 || seen.has(id))) return "alone";
      seen.add(id);
      return settled(() => decide(view.workers.get(id), now, view));
    });
    const back = answer.filter(isReturn);
    // A fence stands until the last of what it guards has moved, so a crash in between leaves it to the sweep.
    const through = back.filter(({ leaving }) => !leaving.more);
    const links = new Set(batch.filter((_, index) => isReturn(answer[index])).flatMap((each) => each.links));
    const brought = { ...view, jobs: new Map([...view.jobs].filter(([name]) => links.has(name))) };
    return {
      answer,
      tasks: back.flatMap(({ leaving }) => leaving.tasks),
      outbox: back.flatMap(({ leaving }) => leaving.outbox),
      jobs: through.length === 0 ? [] : adopted(brought),
      workers: through.map(({ worker }) => worker),
      workerEvents: through.map(({ event }) => event),
    };
  }

  return async (id, links, decide) => {
    const arrival = { id, links, decide };
    let answer = await together.call(arrival);
    while (answer === "alone" || (isReturn(answer) && answer.leaving.more)) {
      answer = (await write([arrival]))[0] as Return | Problem | "alone";
    }
    if (answer instanceof Problem) throw answer;
    beats.seen(answer.worker);
    return answer.worker;
  };
}

function isReturn(answer: Return | Problem | "alone" | undefined): answer is Return {
  return typeof answer === "object" && !(answer instanceof Problem);
}

/** One that is refused takes no other with it. */
function settled(decide: () => Return): Return | Problem {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
