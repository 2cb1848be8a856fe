// The whole fleet, page by page: tiles are grouped and counted here, so all of them are needed.

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ask } from "../../api/client.ts";
import { isMissing } from "../../api/problem.ts";
import { queries, useAsk } from "../../api/queries.ts";
import { useFeed, useHappened, useRefresh } from "../../live/use-live.ts";
import { fleetAsked, pageSize } from "./asked.ts";
import { isGone, type ShownWorker, withGone } from "./gone.ts";
import { nameOf, type Worker } from "./worker.ts";

const fleetKey = ["GET /workers", null, "all"] as const;

/** Of more than these that changed at once, all are asked for. */
const someWorkers = 10;

/** A fleet of so many is asked for less often: its answer is large. */
const manyWorkers = 200;

export function useWorkers(): UseQueryResult<readonly Worker[], Error> {
  const { state } = useFeed();
  const answer = useQuery<readonly Worker[], Error>({
    queryKey: fleetKey,
    queryFn: ({ signal }) => allWorkers(signal),
    // Beats are told to nobody: how fresh they look is how often we ask.
    refetchInterval: ({ state: { data } }) => (state === "paused" ? false : paceOf(data)),
  });
  useRefresh(["workers", "tasks"], ["GET /workers"], paceOf(answer.data));
  useHappened(({ workers }) => {
    if (workers.size === 0 || workers.has("*") || workers.size > someWorkers) return;
    // Where it fails, the next look at all of them tells.
    lookAgain([...workers]).catch(() => undefined);
  });
  return answer;
}

/** Those few something happened to are asked for at once, and not with all the others. */
async function lookAgain(ids: readonly string[]): Promise<void> {
  const seen = await Promise.all(ids.map(async (id) => [id, await oneWorker(id)] as const));
  const changed = new Map(seen);
  queries.setQueryData<readonly ShownWorker[]>(fleetKey, (known) => {
    if (known === undefined) return known;
    const others = known.filter((worker) => !changed.has(worker.id) && !isGone(worker));
    const there = [...changed.values()].filter((worker) => worker !== null);
    return [...withGone([...others, ...there], known, Date.now())].sort(inOrder);
  });
}

/** Null: it is gone. */
async function oneWorker(id: string): Promise<Worker | null> {
  try {
    const worker = await ask({ route: "GET /workers/{worker_id}", params: { worker_id: id } });
    return isGone(worker) ? null : worker;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const none: readonly Worker[] = [];

/** The last of those that said goodbye or were given up. */
export function useGone(isWanted: boolean): readonly Worker[] {
  const query = { find_deleted: true, state: "DELETED", limit: 200 } as const;
  return useAsk({ route: "GET /workers", query }, { enabled: isWanted }).data?.items ?? none;
}

function paceOf(workers: readonly Worker[] | undefined): number {
  return (workers?.length ?? 0) > manyWorkers ? 5_000 : 2_000;
}

async function allWorkers(signal: AbortSignal): Promise<readonly Worker[]> {
  const first = await ask(fleetAsked, signal);
  const offsets = Array.from({ length: Math.ceil(first.total / pageSize) - 1 }, (_, page) => (page + 1) * pageSize);
  const others = await Promise.all(
    offsets.map((offset) => ask({ route: "GET /workers", query: { limit: pageSize, offset } }, signal)),
  );
  // Somebody who came in between has moved another one onto the next page.
  const byId = new Map([first, ...others].flatMap(({ items }) => items).map((worker) => [worker.id, worker]));
  const before = queries.getQueryData<readonly ShownWorker[]>(fleetKey) ?? [];
  return [...withGone([...byId.values()], before, Date.now())].sort(inOrder);
}

const natural = new Intl.Collator("en", { numeric: true });

/** By name and never by what changes: a tile stays where it was. */
function inOrder(one: Worker, other: Worker): number {
  return natural.compare(nameOf(one), nameOf(other)) || (one.id < other.id ? -1 : 1);
}
