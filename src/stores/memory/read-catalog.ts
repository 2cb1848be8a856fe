import { isDeferred, isFinal } from "../../core/task-row.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import type { Catalog, LaneDepth, Reads } from "../../ports/store-reads.ts";
import type { Memory, Stamped } from "./memory.ts";
import { compareText } from "./sorted-list.ts";

export function readCatalog(memory: Memory, after: number): Catalog {
  const workers = changed(memory.workers, after).filter(({ session }) => after > 0 || session.removedAt === null);
  return {
    revision: memory.catalog,
    jobs: changed(memory.jobs, after).sort((a, b) => compareText(a.name, b.name)),
    lanes: changed(memory.lanes, after).sort((a, b) => a.id - b.id),
    workers: workers.sort((a, b) => compareText(a.id, b.id)).map(workerCopy),
    pauses: changed(memory.pauses, after)
      .filter(({ endedAt }) => after > 0 || endedAt === null)
      .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.name, b.name)),
  };
}

function changed<T>(rows: ReadonlyMap<unknown, Stamped<T>>, after: number): T[] {
  return [...rows.values()].filter(({ revision }) => revision > after).map(({ record }) => record);
}

export function readWorkers(memory: Memory, ids: readonly string[]): WorkerRecord[] {
  return ids.flatMap((id) => memory.workers.get(id)?.record ?? []).map(workerCopy);
}

/** Lanes with tasks that are ready, delayed or held, ascending. The oldest is the oldest of the ready ones. */
export function readDepths(memory: Memory): LaneDepth[] {
  return [...memory.shelves]
    .filter(([, { ready, delayed, held, deferred }]) => ready.size + delayed + held + deferred > 0)
    .sort(([a], [b]) => a - b)
    .map(([lane, { ready, delayed, held, deferred }]) => {
      const [oldestId = null] = [...ready].map((entry) => entry.card.id).sort(compareText);
      return { lane, ready: ready.size, delayed, held, deferred, oldestId };
    });
}

/** Nobody keeps more than a few here, so all are looked at. */
export function readRoomDepths(memory: Memory, { rooms, lanes }: Reads["roomDepths"]["query"]): LaneDepth[] {
  const found = new Map<number, LaneDepth>();
  for (const { card, row } of memory.tasks.values()) {
    if (isFinal(row.state) || !lanes.includes(card.lane) || !rooms.includes(card.room)) continue;
    const { ready, delayed, held, deferred, oldestId } = found.get(card.lane) ?? emptyDepth;
    const isReady = row.state === "pending" && row.runAt === null;
    found.set(card.lane, {
      lane: card.lane,
      ready: ready + Number(isReady),
      delayed: delayed + Number(row.runAt !== null),
      held: held + Number(row.worker !== null),
      deferred: deferred + Number(isDeferred(row)),
      oldestId: isReady && (oldestId === null || compareText(card.id, oldestId) < 0) ? card.id : oldestId,
    });
  }
  return [...found.values()].sort((a, b) => a.lane - b.lane);
}

const emptyDepth = { ready: 0, delayed: 0, held: 0, deferred: 0, oldestId: null };

export function readLoad(memory: Memory, { workers, lanes }: Reads["load"]["query"]): Reads["load"]["answer"] {
  const some = <K>(pairs: readonly (readonly [K, number])[]): ReadonlyMap<K, number> =>
    new Map(pairs.filter(([, count]) => count > 0));
  return {
    workers: some(workers.map((worker) => [worker, memory.held.get(worker)?.size ?? 0])),
    lanes: some(lanes.map((lane) => [lane, memory.shelves.get(lane)?.held ?? 0])),
  };
}

export function workerCopy(worker: WorkerRecord): WorkerRecord {
  return { ...worker, jobs: new Map(worker.jobs) };
}
