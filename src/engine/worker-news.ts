// What happens to workers, told to those who watch the rooms they serve, and counted. Lines of their histories are written
// by many parts of the server, always through the store: whatever line was committed is told of here, once.

import { alertType } from "../core/alert.ts";
import type { Json } from "../core/checksum.ts";
import { parseJobName } from "../core/name.ts";
import { isWorkerEventType } from "../core/worker-event.ts";
import type { WorkerEvent, WorkerRecord } from "../ports/records.ts";
import type { Amendment, Store } from "../ports/store.ts";
import { announceAt } from "./announce.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";

export interface WorkerNews {
  /** The same store; what it writes of workers is told of. */
  telling(store: Store): Store;
}

/** Messages have to fit the wire between servers; what is longer is in the history. */
const dataLengthMax = 1_000;

export function workerNews(
  { bus, telemetry }: Pick<Surroundings, "bus" | "telemetry">,
  catalog: Pick<Catalog, "worker">,
): WorkerNews {
  /** `written` are workers as they were written along with it, which the catalog may not know yet. */
  function tell(events: readonly WorkerEvent[], written: readonly WorkerRecord[]): void {
    for (const event of events) {
      if (isWorkerEventType(event.type)) telemetry.workerEvent(event.type, 1);
      // An alert is told in its own words; see alerts.ts.
      if (event.type !== alertType) tellRooms(roomsOf(event.worker, written), event);
    }
  }

  /** A worker that is gone has no jobs any more, but had some a moment ago. */
  function roomsOf(id: string, written: readonly WorkerRecord[]): string[] {
    const before = catalog.worker(id)?.jobs.keys() ?? [];
    const after = written.find((worker) => worker.id === id)?.jobs.keys() ?? [];
    return [...new Set([...before, ...after].map((job) => parseJobName(job).room))];
  }

  function tellRooms(rooms: readonly string[], { worker, at, type, data }: WorkerEvent): void {
    announceAt(bus, { rooms, job: null }, "worker_event", () => {
      const said = data === null || data.length > dataLengthMax ? null : (JSON.parse(data) as Json);
      return { worker_id: worker, type, at: new Date(at).toISOString(), data: said };
    });
  }

  return {
    telling: (store) => ({
      ...store,
      async amend(scope, decide) {
        let last: Amendment<unknown> | null = null;
        const amended = await store.amend(scope, (view) => {
          const decided = decide(view);
          last = "answer" in decided ? decided : null;
          return decided;
        });
        const { workerEvents = [], workers = [] } = (last ?? {}) as Partial<Amendment<unknown>>;
        tell(workerEvents, workers);
        return amended;
      },
      async append(lines) {
        await store.append(lines);
        tell(lines.workerEvents ?? [], []);
      },
    }),
  };
}
