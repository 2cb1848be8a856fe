// Operations by messages that have no task of their own. What came of one is counted on the task it belongs to, and only
// then is the message done with: whatever dies in between, it comes again, and is counted once by its index.

import { setTimeout as pause } from "node:timers/promises";
import { type OperationMessage, readOperationMessage } from "../../../protocol/amqp/messages.ts";
import type { Delivery, Verdict } from "../../amqp/consuming.ts";
import { acksHaveLeft } from "../../amqp/gathered-acks.ts";
import { isOutOfMemory } from "../../amqp/out-of-memory.ts";
import { noted, triedBefore } from "../../amqp/redelivery.ts";
import type { CheckedDeferral } from "../../deferral.ts";
import { wordsOf } from "../../failure.ts";
import type { JobDefinition } from "../../job.ts";
import { runHandler } from "../../run-handler.ts";
import { newKey } from "../../system.ts";
import { type AbortCause, type Attempt, TaskAborted } from "../attempt.ts";
import type { ClaimLoopParts } from "../claim-loop.ts";
import { brakes } from "./brakes.ts";
import { lobby } from "./lobby.ts";
import * as ends from "./operation-ends.ts";
import { operationJob } from "./operation-name.ts";
import type { Orders } from "./orders.ts";
import { returns } from "./returns.ts";
import { solitude } from "./solitude.ts";
import { turnstile } from "./turnstile.ts";

export interface OperationLoopParts extends ClaimLoopParts, ends.OperationEndParts {
  readonly prefetch: number;
  readonly orders: Orders;
  readonly jobs: ReadonlyMap<string, JobDefinition>;
}

interface Received {
  readonly delivery: Delivery;
  readonly message: OperationMessage;
}

/** A server that refuses one mark may refuse the next for the same reason. */
const untoldMs = 1_000;
/** Well below any time after which a server takes a message for lost. */
const lifeMs = 60_000;
/** For six hours, after which a task that says nothing has stalled too: one that hangs must not keep its parent for ever. */
const signsMax = 360;
/** Fewer deliveries in vain are nobody's fault: the broker was restarted, or somebody else ended the process. */
const suspectAfter = 3;

/** Resolves when the signal aborts. */
export async function operationLoop(parts: OperationLoopParts): Promise<void> {
  const { broker, queue, signal, hands, orders } = parts;
  const places = turnstile(hands, signal);
  const waiting = lobby();
  const back = returns();
  const alone = solitude({
    async begin() {
      await brake.hold("solitude");
      places.sendAway();
      await waiting.empty();
      await acksHaveLeft();
    },
    end: () => brake.letGo("solitude"),
  });

  async function receive(came: Delivery): Promise<Verdict> {
    const leave = waiting.enter();
    try {
      return await received(came, leave);
    } finally {
      leave();
    }
  }

  async function received(came: Delivery, leave: () => void): Promise<Verdict> {
    const message = understood(parts, came);
    if (message === null) return "deadLetter";
    const delivery = noted(came);
    const tried = triedBefore(delivery);
    // Its count is written down before it is tried again.
    const isToBeNoted = came.isRepeated && tried < parts.patience.redeliveryMax;
    if (isToBeNoted) return back.begin(ends.publishedAnew(parts, delivery));
    if (tried > 0) await back.told();
    if (alone.isTaken() || orders.isPaused()) return ends.publishedAnew(parts, delivery);
    const go = (mayGo: boolean): Promise<Verdict> => {
      if (signal.aborted) return Promise.resolve("requeue");
      if (!mayGo) return ends.publishedAnew(parts, delivery);
      leave();
      return handle(parts, { delivery, message });
    };
    if (tried < suspectAfter) return places.enter(go);
    leave();
    return alone.enter(() => places.enter(go));
  }

  const brake = brakes(broker.consume(queue, parts.prefetch, receive));
  orders.follow((isPaused) => {
    if (!isPaused) return brake.letGo("orders");
    // What waits here is for others, once none of it comes back to this one.
    void brake.hold("orders").then(places.sendAway);
  });
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  void brake.hold("end");
}

function understood({ log, queue }: OperationLoopParts, { body }: Delivery): OperationMessage | null {
  const read = readOperationMessage(body);
  if (read.ok) return read.message;
  log.warn("a message was not understood; it is among the dead letters", { queue, why: read.fault });
  return null;
}

/** Never rejects. */
async function handle(parts: OperationLoopParts, received: Received): Promise<Verdict> {
  const { log, queue } = parts;
  const { message, delivery } = received;
  const stopped = new AbortController();
  const job_name = operationJob(message.operation);
  let handled: () => void = () => {};
  const whenHandled = new Promise<void>((resolve) => (handled = resolve));
  const ended = run(parts, received, stopped.signal, handled).catch(async (error: unknown): Promise<ends.Ended> => {
    // It comes again, here or elsewhere.
    log.warn("what came of a message was not told", { queue, operation: message.operation, why: wordsOf(error) });
    handled();
    await pause(untoldMs, undefined, { signal: parts.signal }).catch(() => {});
    return { verdict: await ends.publishedAnew(parts, delivery), ending: "dropped" };
  });
  const abort = (why: AbortCause): void => stopped.abort(new TaskAborted(why));
  const held: Attempt = {
    task: {
      ...{ id: `message ${newKey()}`, job_name, room_id: "@global", attempt: 1, status: "running" },
      ...{ payload: message.payload, checkpoint: null, parent_id: message.parent },
    },
    ...{ abort, handled: whenHandled, done: ended.finally(handled) },
  };
  parts.hold(held);
  return (await ended).verdict;
}

async function run(
  parts: OperationLoopParts,
  { delivery, message }: Received,
  stop: AbortSignal,
  handled: () => void,
): Promise<ends.Ended> {
  const { parents, jobs, patience } = parts;
  const { operation, parent, payload } = message;
  if (parent !== null && !(await parents.isOpen(parent))) return { verdict: "ack", ending: "dropped" };
  const tried = triedBefore(delivery);
  if (tried >= patience.redeliveryMax) return ends.failed(parts, message, ends.tooManyDeliveries(tried));
  const name = operationJob(operation);
  const job = jobs.get(name);
  if (job === undefined) return ends.failed(parts, message, ends.unknownOperation(operation));
  let deferral: CheckedDeferral | null = null;
  const defer = (given: CheckedDeferral): void => {
    ends.checkOnward(message, given);
    deferral = given;
  };
  const port = { ...parents.portOf(parent), defer };
  const facts = { id: parent ?? "", job: name, room: "@global", attempt: 1, payload };
  const letSleep = keptAwake(parents, parent);
  const outcome = await runHandler(job, facts, port, stop).finally(letSleep);
  handled();
  // Whoever is cut off by the end of his worker has not failed: another one gets the message.
  if (stop.aborted && outcome.type !== "completed") return ends.givenBack(parts, delivery);
  switch (outcome.type) {
    case "completed":
      return ends.completed(parts, message, deferral);
    case "released":
      return ends.later(parts, delivery, outcome.delayMs);
    case "failed":
      return isOutOfMemory({ ...outcome, name: ends.nameOf(outcome) })
        ? ends.withoutMemory(parts, delivery, message, outcome)
        : ends.failed(parts, message, outcome);
  }
}

/** Until what is answered is called. */
function keptAwake(parents: OperationLoopParts["parents"], parent: string | null): () => void {
  let signs = 0;
  const awake = setInterval(() => {
    signs += 1;
    if (parent !== null) parents.keepAwake(parent);
    if (signs >= signsMax) clearInterval(awake);
  }, lifeMs).unref();
  return () => clearInterval(awake);
}
