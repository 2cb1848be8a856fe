// Workers as the fleet's document finds them: by a UUID that may be none, in which case there is no such worker.

import { type Principal, requireWrite } from "../../../core/access.ts";
import { Problem } from "../../../core/problem.ts";
import { isUuid } from "../../../core/uuid7.ts";
import type { WorkerRecord } from "../../../ports/records.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { WorkerDesk } from "../worker-desk.ts";
import { unknownWorker, type WorkerView } from "../worker-views.ts";

export interface FleetSight {
  /** As it is kept, for its owner alone; deleted ones too where that is said. */
  owned(who: Principal, uuid: string, deletedToo?: boolean): Promise<WorkerRecord>;
  /** For whoever may see it. */
  seen(who: Principal, uuid: string, deletedToo: boolean): Promise<WorkerView>;
}

export function fleetSight(
  { store }: Pick<Surroundings, "store">,
  { workers }: { readonly workers: Pick<WorkerDesk, "get"> },
): FleetSight {
  return {
    async owned(who, uuid, deletedToo = false) {
      requireWrite(who);
      const id = uuid.toLowerCase();
      const [worker] = isUuid(id) ? await store.read("workers", { ids: [id] }) : [];
      if (worker === undefined || (worker.session.removedAt !== null && !deletedToo)) throw unknownWorker(uuid);
      if (worker.owner !== who.user) throw new Problem("forbidden", `Worker ${id} belongs to someone else`);
      return worker;
    },
    async seen(who, uuid, deletedToo) {
      const id = uuid.toLowerCase();
      if (!isUuid(id)) throw unknownWorker(uuid);
      const view = await workers.get(who, id);
      if (view.worker.session.removedAt !== null && !deletedToo) throw unknownWorker(uuid);
      return view;
    },
  };
}
