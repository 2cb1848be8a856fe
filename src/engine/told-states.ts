// What workers' histories say of their states. A state is derived when it is read, so its changes are written when the
// sweep comes by: that a worker fell silent, and that it is heard again. Its end is the fence's to tell; see losing.ts.

import { untold } from "../core/liveness.ts";
import type { WorkerRecord } from "../ports/records.ts";
import type { Hearing } from "./hearing.ts";
import type { Surroundings } from "./surroundings.ts";
import { workerEvent } from "./worker-record.ts";

export interface ToldStates {
  /** Looks at these workers under their locks. Answers how many had something new to say. */
  tell(ids: readonly string[]): Promise<number>;
}

export function toldStates({ store, clock }: Surroundings, hearing: Pick<Hearing, "fairlyReached">): ToldStates {
  return {
    async tell(ids) {
      if (ids.length === 0) return 0;
      const { answer } = await store.amend({ workers: ids }, (view) => {
        const now = clock.now();
        const changed = [...view.workers.values()].flatMap((worker) => toldNow(worker, hearing, now));
        return {
          answer: changed.length,
          workers: changed,
          workerEvents: changed.map(({ id, session }) =>
            workerEvent(id, now, session.told === "ONLINE" ? "worker.online" : "worker.unreachable"),
          ),
        };
      });
      return answer;
    },
  };
}

function toldNow(worker: WorkerRecord, hearing: Pick<Hearing, "fairlyReached">, now: number): readonly WorkerRecord[] {
  const told = untold(hearing.fairlyReached(worker.session, now), now);
  return told === null ? [] : [{ ...worker, session: { ...worker.session, told } }];
}
