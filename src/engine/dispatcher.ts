// Where demand meets supply, for every door of this server. A claim that does not wait always asks the database. One
// that waits asks only lanes believed to hold something; belief is raised by submits, returns, other servers' hints and
// the pulse, and ends when the database answers short. Wrong belief costs a question or a second, never a task.

import { checkCount, checkDuration } from "../core/checks.ts";
import { profileDueMs } from "../core/deadline.ts";
import { isGivenUp } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { Clock } from "../ports/clock.ts";
import type { ClaimedTask, WorkerRecord } from "../ports/records.ts";
import type { Taker } from "../ports/store.ts";
import type { Catalog, LaneSet } from "./catalog.ts";
import type { Effects } from "./effects.ts";
import type { Exchanger } from "./exchanger.ts";
import { laneBeliefs } from "./lane-beliefs.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Waiter, type WaitingRoom, waitingRoom } from "./waiting-room.ts";

/** Which worker wants how many tasks, and how long it waits for them. */
export interface ClaimRequest {
  readonly worker: string;
  readonly limit: number;
  /** Zero: answer at once, with nothing if there is nothing. */
  readonly waitMs: number;
  readonly assign: boolean;
  /** Ends the wait with nothing. */
  readonly signal?: AbortSignal;
}

export interface Dispatcher {
  claim(request: ClaimRequest): Promise<readonly ClaimedTask[]>;
  /** Another server, or the pulse, says that these lanes hold something. */
  hint(lanes: readonly number[]): void;
  waiting(): number;
  stop(): void;
}

export interface DispatcherParts {
  readonly catalog: Catalog;
  readonly exchanger: Exchanger;
  readonly effects: Effects;
}

/** How much to ask for when a lane is said to hold something, but not how much. */
const probe = 16;

export function dispatcher(around: Surroundings, { catalog, exchanger, effects }: DispatcherParts): Dispatcher {
  const beliefs = laneBeliefs();
  const room = waitingRoom(around.bus, (lane) => hint([lane]));
  let stopped = false;

  effects.onSupply(supply);
  effects.onFreed((lane) => {
    if (catalog.lane(lane)?.maxRunning != null) supply(lane, 1);
  });
  catalog.onChange(() => {
    for (const waiter of room.everyone()) {
      const { worker } = waiter.taker;
      if (present(worker) !== undefined) room.move(waiter, catalog.laneSetOf(worker));
      else dismiss(waiter);
    }
    pump();
  });

  async function claim(request: ClaimRequest): Promise<readonly ClaimedTask[]> {
    // It may have registered at another server a moment ago.
    if (present(request.worker) === undefined) await catalog.refresh();
    const taker = takerOf(request, around, present(request.worker));
    const all = catalog.laneSetOf(request.worker);
    const wait = request.waitMs > 0;
    const set = wait ? beliefs.believed(all) : all;
    const tasks = set.lanes.length > 0 ? await ask(set, taker) : [];
    if (tasks.length > 0) return tasks;
    if (present(request.worker) === undefined) throw goneWorker(request.worker);
    if (!wait || stopped) return tasks;
    const answer = waitIn(room, { request, taker, lanes: catalog.laneSetOf(request.worker), clock: around.clock });
    pump();
    return answer;
  }

  async function ask(set: LaneSet, taker: Taker): Promise<readonly ClaimedTask[]> {
    const asked = beliefs.ask(set, taker.limit);
    let tasks: readonly ClaimedTask[] = [];
    try {
      tasks = await exchanger.take(set, taker);
    } finally {
      // What a worker that was given up does not get says nothing about the lane.
      beliefs.answered(asked, tasks, tasks.length < taker.limit && present(taker.worker) !== undefined);
    }
    if (room.size() > 0) pump();
    return tasks;
  }

  function supply(lane: number, count: number): void {
    beliefs.raise(lane, count);
    if (room.size() > 0) pump();
  }

  function hint(lanes: readonly number[]): void {
    suppose(lanes);
    if (room.size() > 0) pump();
  }

  function suppose(lanes: readonly number[]): void {
    for (const lane of lanes) beliefs.raise(lane, beliefs.of(lane) === 0 ? probe : 0);
  }

  function present(id: string): WorkerRecord | undefined {
    const worker = catalog.worker(id);
    return worker === undefined || isGivenUp(worker.session) ? undefined : worker;
  }

  /** It may have been refused before we heard of its end, and its lanes taken for empty: someone else has to ask. */
  function dismiss(waiter: Waiter): void {
    if (!waiter.asking) waiter.fail(goneWorker(waiter.taker.worker));
    suppose(waiter.lanes.lanes);
  }

  /** Sends as many waiting demands as the lanes are believed to satisfy, the longest waiting first. */
  function pump(): void {
    for (const lane of beliefs.lanes()) {
      let left = beliefs.of(lane) - beliefs.underWay(lane);
      for (const waiter of room.inLane(lane)) {
        if (left <= 0) break;
        if (waiter.asking) continue;
        left -= waiter.taker.limit;
        void serve(waiter);
      }
    }
  }

  async function serve(waiter: Waiter): Promise<void> {
    waiter.asking = true;
    try {
      const tasks = await ask(beliefs.believed(waiter.lanes), waiter.taker);
      waiter.asking = false;
      if (tasks.length > 0 || waiter.over || stopped) waiter.end(tasks);
      else if (present(waiter.taker.worker) === undefined) waiter.fail(goneWorker(waiter.taker.worker));
      else pump();
    } catch (error) {
      waiter.asking = false;
      waiter.fail(error);
    }
  }

  function stop(): void {
    stopped = true;
    for (const waiter of room.everyone()) if (!waiter.asking) waiter.end([]);
  }

  return { claim, hint, waiting: () => room.size(), stop };
}

function takerOf(request: ClaimRequest, around: Surroundings, worker: WorkerRecord | undefined): Taker {
  checkCount("/limit", request.limit, 1);
  checkDuration("/waitMs", request.waitMs);
  if (worker === undefined) throw goneWorker(request.worker);
  const profile = around.settings.profiles[worker.profile];
  return {
    worker: worker.id,
    limit: Math.min(request.limit, around.settings.batchMax),
    assign: request.assign,
    dueMs: profileDueMs(profile, request.assign),
    leaseMs: profile.ownLeaseMs,
  };
}

function goneWorker(id: string): Problem {
  return new Problem("worker-not-found", `Worker ${id} does not exist or was given up`);
}

interface Wait {
  readonly request: ClaimRequest;
  readonly taker: Taker;
  readonly lanes: LaneSet;
  readonly clock: Clock;
}

function waitIn(room: WaitingRoom, { request, taker, lanes, clock }: Wait): Promise<readonly ClaimedTask[]> {
  return new Promise((resolve, reject) => {
    const leave = (settle: () => void): void => {
      if (!room.leave(waiter)) return;
      silence();
      request.signal?.removeEventListener("abort", quit);
      settle();
    };
    const quit = (): void => {
      waiter.over = true;
      if (!waiter.asking) leave(() => resolve([]));
    };
    const waiter: Waiter = {
      taker,
      lanes,
      asking: false,
      over: false,
      end: (tasks) => leave(() => resolve(tasks)),
      fail: (error) => leave(() => reject(error)),
    };
    room.enter(waiter);
    const silence = clock.alarm(clock.now() + request.waitMs, quit);
    request.signal?.addEventListener("abort", quit);
    if (request.signal?.aborted) quit();
  });
}
