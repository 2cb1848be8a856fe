// Where demand meets supply, for every door of this server. A claim that does not wait always asks the database. One
// that waits asks only lanes believed to hold something; belief is raised by submits, returns, other servers' hints and
// the pulse, and ends when the database answers short. Wrong belief costs a question or a second, never a task.

import { checkCount, checkDuration } from "../core/checks.ts";
import type { ClaimedTask } from "../ports/records.ts";
import { asking } from "./asking.ts";
import type { Beats } from "./beats.ts";
import type { Catalog } from "./catalog.ts";
import type { Effects } from "./effects.ts";
import type { Exchanger } from "./exchanger.ts";
import type { Fitness } from "./fitness.ts";
import { laneBeliefs } from "./lane-beliefs.ts";
import { limitChanges } from "./lane-limits.ts";
import { sharing } from "./sharing.ts";
import { type Stander, type StandingDemand, standingDemand } from "./standing-demand.ts";
import type { Surroundings } from "./surroundings.ts";
import { type ClaimRequest, goneWorker, waitingClaim } from "./waiting-claim.ts";
import { type Waiter, waitingRoom } from "./waiting-room.ts";

export type { ClaimRequest };

export interface Dispatcher {
  claim(request: ClaimRequest): Promise<readonly ClaimedTask[]>;
  /** For as long as a worker is connected; its tasks are assigned. */
  stand(stander: Stander): StandingDemand;
  /** Another server, or the pulse, says that these lanes hold something. */
  hint(lanes: readonly number[]): void;
  /** Claims that wait. */
  waiting(): number;
  stop(): void;
}

export interface DispatcherParts {
  readonly catalog: Catalog;
  readonly beats: Pick<Beats, "isReachable">;
  readonly exchanger: Exchanger;
  readonly effects: Effects;
  readonly fitness: Fitness;
  /** This one, as it is named on the bus. */
  readonly server: string;
}

/** How often a claim that does not wait asks again when all it got went back. */
const asksMax = 10;

export function dispatcher(around: Surroundings, parts: DispatcherParts): Dispatcher {
  const { catalog, effects, server } = parts;
  const { settings } = around;
  const beliefs = laneBeliefs();
  // What this server has to say of a lane came with its number: to take it for a hint would cost a question in vain.
  const room = waitingRoom(around.bus, (lane, sayer) => hint(sayer === server ? [] : [lane]));
  const { pump, offer } = sharing(room, beliefs);
  const { ask, takerFor, present } = asking(settings, { ...parts, beliefs, answered: pump });
  const limited = limitChanges();
  let [claims, stopped] = [0, false];

  effects.onSupply(supply);
  effects.onFreed((lane) => {
    if (catalog.lane(lane)?.maxRunning != null) supply(lane, 1);
  });
  catalog.onChange(({ jobs, lanes, workers, pauses }) => {
    limited(lanes).forEach(beliefs.suppose);
    const all = jobs.length + lanes.length + pauses.length > 0;
    const concerned = all ? [...room.everyone()] : workers.flatMap(({ id }) => [...room.of(id)]);
    for (const waiter of concerned) {
      if (present(waiter.worker) !== undefined) room.move(waiter, catalog.laneSetOf(waiter.worker));
      else dismiss(waiter);
    }
    if (concerned.length > 0) pump();
  });

  async function claim(request: ClaimRequest): Promise<readonly ClaimedTask[]> {
    // It may have registered at another server a moment ago.
    if (present(request.worker) === undefined) await catalog.refresh();
    checkCount("/limit", request.limit, 1);
    checkDuration("/waitMs", request.waitMs);
    if (present(request.worker) === undefined) throw goneWorker(request.worker);
    const wait = request.waitMs > 0;
    for (let asked = 0; asked < asksMax; asked += 1) {
      const all = catalog.laneSetOf(request.worker);
      const set = wait ? beliefs.believed(all) : all;
      if (set.lanes.length === 0) break;
      const { tasks, more } = await ask(set, takerFor(request), all);
      if (tasks === null || tasks.length > 0) return tasks ?? [];
      if (!more) break;
    }
    if (present(request.worker) === undefined) throw goneWorker(request.worker);
    if (!wait || stopped) return [];
    const answer = waitFor(request);
    pump();
    return answer;
  }

  function supply(lane: number, count: number): void {
    beliefs.raise(lane, count);
    pump();
  }

  function hint(lanes: readonly number[]): void {
    lanes.forEach(beliefs.suppose);
    if (lanes.length > 0) pump();
  }

  /** It may have been refused before we heard of its end, and its lanes taken for empty: someone else has to ask. */
  function dismiss(waiter: Waiter): void {
    const { lanes } = waiter.lanes;
    waiter.dismiss();
    lanes.forEach(beliefs.suppose);
  }

  function stand(stander: Stander): StandingDemand {
    const { worker } = stander;
    return standingDemand(stander, {
      ...{ room, lanes: catalog.laneSetOf(worker), limitMax: settings.batchMax, offer },
      async ask(lanes, limit) {
        try {
          if (present(worker) === undefined) return null;
          const { tasks } = await ask(beliefs.believed(lanes), takerFor({ worker, limit, assign: true }), lanes);
          return tasks?.length === 0 && present(worker) === undefined ? null : tasks;
        } catch (error) {
          // The pulse says again which lanes hold something.
          around.log.warn("tasks could not be claimed for a connected worker", { worker, error });
          return [];
        }
      },
    });
  }

  function waitFor(request: ClaimRequest): Promise<readonly ClaimedTask[]> {
    claims += 1;
    return waitingClaim(request, {
      ...{ room, clock: around.clock, lanes: catalog.laneSetOf(request.worker), isStopped: () => stopped },
      ask: async (lanes, limit) => (await ask(beliefs.believed(lanes), takerFor({ ...request, limit }), lanes)).tasks,
      isGone: () => present(request.worker) === undefined,
      retry: pump,
    }).finally(() => {
      claims -= 1;
    });
  }

  function stop(): void {
    stopped = true;
    for (const waiter of [...room.everyone()]) waiter.end();
  }

  return { claim, stand, hint, waiting: () => claims, stop };
}
