// A claim that waits: once, for some time, until it gets something.

import { Problem } from "../core/problem.ts";
import type { Clock } from "../ports/clock.ts";
import type { ClaimedTask } from "../ports/records.ts";
import type { LaneSet } from "./catalog.ts";
import type { Waiter, WaitingRoom } from "./waiting-room.ts";

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

interface WaitParts {
  readonly room: WaitingRoom;
  readonly clock: Clock;
  readonly lanes: LaneSet;
  /** Null: the worker gets nothing now, however long it waits. */
  ask(lanes: LaneSet, limit: number): Promise<readonly ClaimedTask[] | null>;
  isGone(): boolean;
  isStopped(): boolean;
  /** It got nothing and waits on; meanwhile there may be something. */
  retry(): void;
}

export function waitingClaim(request: ClaimRequest, parts: WaitParts): Promise<readonly ClaimedTask[]> {
  const { room, clock } = parts;
  return new Promise((resolve, reject) => {
    let asking = false;
    /** Its time has passed; it ends with the answer that is under way, which must not be lost. */
    let over = false;

    function leave(settle: () => void): void {
      if (!room.leave(waiter)) return;
      silence();
      request.signal?.removeEventListener("abort", quit);
      settle();
    }
    function quit(): void {
      over = true;
      if (asking) room.seat(waiter);
      else leave(() => resolve([]));
    }
    async function ask(limit: number): Promise<void> {
      asking = true;
      room.seat(waiter);
      try {
        const tasks = await parts.ask(waiter.lanes, limit);
        asking = false;
        if (tasks === null) leave(() => resolve([]));
        else if (tasks.length > 0 || over || parts.isStopped()) leave(() => resolve(tasks));
        else if (parts.isGone()) waiter.dismiss();
        else {
          room.seat(waiter);
          parts.retry();
        }
      } catch (error) {
        asking = false;
        leave(() => reject(error));
      }
    }
    const waiter: Waiter = {
      ...{ worker: request.worker, lanes: parts.lanes, load: 0, seat: null },
      free: () => (asking || over ? 0 : request.limit),
      ask: (limit) => void ask(limit),
      dismiss() {
        if (!asking) leave(() => reject(goneWorker(request.worker)));
      },
      end: quit,
    };
    room.enter(waiter);
    const silence = clock.alarm(clock.now() + request.waitMs, quit);
    request.signal?.addEventListener("abort", quit);
    if (request.signal?.aborted) quit();
  });
}

export function goneWorker(id: string): Problem {
  return new Problem("worker-not-found", `Worker ${id} does not exist or was given up`);
}
