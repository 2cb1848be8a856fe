// Push jobs: the server takes their tasks as a worker does, as many as it has places, and sends each to its job's URL. All
// servers are the same worker, so a task that was accepted with 202 is nobody's in particular: whichever server is there
// hears the callback, and a server that is gone takes with it only the requests it had under way.

import { isGivenUp } from "../../core/liveness.ts";
import { Problem } from "../../core/problem.ts";
import { pushWorker } from "../../core/push.ts";
import type { Pusher } from "../../ports/pusher.ts";
import type { ClaimedTask } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import { outputs } from "../desks/outputs.ts";
import type { Operations } from "../engine.ts";
import { type InHand, inHand } from "../executors/in-hand.ts";
import { napping } from "../nap.ts";
import type { Surroundings } from "../surroundings.ts";
import { deliveries } from "./deliveries.ts";
import { targetLimits } from "./target-limits.ts";

export interface Pushes {
  start(): void;
  /** Sends nothing more; what is under way has so long to end, then it is sent again elsewhere, or later. */
  stop(graceMs: number): Promise<void>;
}

export interface PushesParts {
  readonly operations: Operations;
  readonly pusher: Pusher;
  readonly schemas: Schemas;
  /** How many requests may be under way at once. */
  readonly places: number;
  /** Where the world finds this server, without a slash at the end. */
  readonly publicUrl: string;
}

const waitMs = 60_000;
const retryMs = 1_000;

export function pushes(around: Surroundings, { operations, pusher, schemas, places, publicUrl }: PushesParts): Pushes {
  const { clock, log, settings } = around;
  const { catalog } = operations;
  const nap = napping(clock);
  const limits = targetLimits(operations, () => nap.end());
  const out = deliveries(around, { operations, pusher, publicUrl, hands: () => hands });
  const { check: checkResult } = outputs({ catalog, schemas });
  const hands: InHand = inHand(around, { operations, broker: out, checkResult, freed: () => nap.end() });
  let beatenAt = 0;
  let taking: Promise<void> | null = null;
  let stopping: Promise<void> | null = null;

  async function take(): Promise<void> {
    while (stopping === null) {
      try {
        if (!limits.any()) await nap.for(waitMs);
        else await takeOnce();
      } catch (error) {
        // Somebody removed the worker that all servers are: the next round registers it again.
        const isGone = error instanceof Problem && error.code === "worker-not-found";
        if (isGone || stopping !== null) continue;
        log.warn("tasks of push jobs could not be taken", { error });
        await nap.for(retryMs);
      }
    }
  }

  async function takeOnce(): Promise<void> {
    // From here on every change is heard: one in the midst of this ends the wait before it begins.
    const signal = nap.signal();
    await appear();
    await limits.set();
    const limit = places - hands.size();
    if (stopping !== null || signal.aborted) return;
    if (limit <= 0) return nap.for(waitMs);
    const tasks = await operations.claim({ worker: pushWorker, limit, assign: true, waitMs, signal });
    for (const task of tasks) void send(task);
  }

  async function send(task: ClaimedTask): Promise<void> {
    try {
      // What came while the server was told to stop goes back as it came.
      await (stopping === null ? out.deliver(task) : out.giveBack(hands.add(task), { reason: "server_stopping" }));
    } catch (error) {
      log.error("a task could not be pushed", { task: task.card.id, error });
    }
  }

  /** The session is all servers': whoever finds it missing begins it, and now and then somebody says that it lives. */
  async function appear(): Promise<void> {
    const known = catalog.worker(pushWorker);
    if (known === undefined || isGivenUp(known.session)) {
      await operations.workers.register({ id: pushWorker, profile: "push", owner: null, name: "push jobs" });
    } else if (clock.now() - beatenAt >= settings.profiles.push.beatMs) await operations.beat(pushWorker);
    else return;
    beatenAt = clock.now();
  }

  async function end(graceMs: number): Promise<void> {
    nap.end();
    await taking;
    const until = clock.now() + graceMs;
    while (hands.isBusy() && clock.now() < until) await nap.for(until - clock.now());
    await hands.releaseAll("server_stopping");
    hands.stop();
  }

  return {
    start() {
      taking ??= take();
    },
    stop(graceMs) {
      stopping ??= end(graceMs);
      return stopping;
    },
  };
}
