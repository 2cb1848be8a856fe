// One question to the database on behalf of a worker, and what its answer says about the lanes.

import { profileDueMs } from "../core/deadline.ts";
import { isGivenUp, profileOf } from "../core/liveness.ts";
import type { ClaimedTask, WorkerRecord } from "../ports/records.ts";
import type { Taker } from "../ports/store.ts";
import type { Beats } from "./beats.ts";
import type { Catalog, LaneSet } from "./catalog.ts";
import type { Exchanger } from "./exchanger.ts";
import type { Fitness } from "./fitness.ts";
import type { LaneBeliefs } from "./lane-beliefs.ts";
import type { EngineSettings } from "./surroundings.ts";
import { type ClaimRequest, goneWorker } from "./waiting-claim.ts";

export interface Answer {
  /** Null: nobody has heard of the worker for so long that it gets nothing; what it holds is still its own. */
  readonly tasks: readonly ClaimedTask[] | null;
  /** What was claimed went back, and there may be something else. */
  readonly more: boolean;
}

export interface Asking {
  /** `set` is the part of the worker's lanes that is worth asking. */
  ask(set: LaneSet, taker: Taker, whole: LaneSet): Promise<Answer>;
  takerFor(request: Pick<ClaimRequest, "worker" | "limit" | "assign">): Taker;
  /** Undefined where the worker does not exist or was given up. */
  present(worker: string): WorkerRecord | undefined;
}

export interface AskingParts {
  readonly catalog: Catalog;
  readonly beats: Pick<Beats, "isReachable">;
  readonly exchanger: Exchanger;
  readonly fitness: Fitness;
  readonly beliefs: LaneBeliefs;
  answered(): void;
}

export function asking(settings: EngineSettings, parts: AskingParts): Asking {
  const { catalog, exchanger, fitness, beliefs, beats } = parts;

  function present(id: string): WorkerRecord | undefined {
    const worker = catalog.worker(id);
    return worker === undefined || isGivenUp(worker.session) ? undefined : worker;
  }

  return {
    present,
    takerFor({ worker: id, limit, assign }) {
      const worker = present(id);
      if (worker === undefined) throw goneWorker(id);
      const profile = profileOf(settings.profiles, worker.profile);
      return {
        ...{ worker: id, limit: Math.min(limit, settings.batchMax), assign },
        ...{ dueMs: profileDueMs(profile, assign), leaseMs: profile.ownLeaseMs },
      };
    },
    async ask(set, taker, whole) {
      const worker = present(taker.worker);
      const reachable = worker === undefined || beats.isReachable(worker);
      if (reachable !== true && !(await reachable)) return { tasks: null, more: false };
      const asked = beliefs.ask(set, taker.limit);
      let claimed: readonly ClaimedTask[] = [];
      try {
        claimed = await exchanger.take(set, taker);
      } finally {
        // What a worker that was given up does not get says nothing about the lane.
        beliefs.answered(asked, claimed, claimed.length < taker.limit && present(taker.worker) !== undefined);
      }
      const sorted = fitness.fit(taker.worker, claimed, whole);
      const tasks = sorted instanceof Promise ? await sorted : sorted;
      parts.answered();
      return { tasks, more: tasks.length < claimed.length };
    },
  };
}
