// One operation in hand, from its message to the verdict on it. It is held as a task is, although the server knows of none.

import { setTimeout as pause } from "node:timers/promises";
import type { Verdict } from "../../amqp/consuming.ts";
import { isOutOfMemory } from "../../amqp/out-of-memory.ts";
import { triedBefore } from "../../amqp/redelivery.ts";
import type { CheckedDeferral } from "../../deferral.ts";
import { wordsOf } from "../../failure.ts";
import type { JobDefinition } from "../../job.ts";
import { runHandler } from "../../run-handler.ts";
import { newKey } from "../../system.ts";
import type { Attempt } from "../attempt.ts";
import type { ClaimLoopParts } from "../claim-loop.ts";
import { unlessAborted } from "../cut-short.ts";
import { type AbortCause, stopWith, TaskAborted } from "../task-aborted.ts";
import * as ends from "./operation-ends.ts";
import { operationJob } from "./operation-name.ts";

export interface OperationRunParts extends Pick<ClaimLoopParts, "hold">, ends.OperationEndParts {
  readonly jobs: ReadonlyMap<string, JobDefinition>;
  /** Whether another consumer of the queue knows it; rejects where that cannot be learnt now. */
  readonly isKnownElsewhere: (operation: string, signal: AbortSignal) => Promise<boolean>;
}

/** A server that refuses one mark may refuse the next for the same reason. */
const untoldMs = 1_000;
/** A broker that does not take it in this time gets it when the connection ends. */
const giveBackMs = 2_000;
/** Well below any time after which a server takes a message for lost. */
const lifeMs = 60_000;
/** For six hours, after which a task that says nothing has stalled too: one that hangs must not keep its parent for ever. */
const signsMax = 360;

/** Never rejects. */
export async function handle(parts: OperationRunParts, received: ends.Received): Promise<Verdict> {
  const { log, queue } = parts;
  const { message, goBack } = received;
  const stopped = new AbortController();
  const job_name = operationJob(message.operation);
  const { promise: whenHandled, resolve } = Promise.withResolvers<void>();
  let isHandled = false;
  const handled = (): void => {
    isHandled = true;
    resolve();
  };
  const ended = run(parts, received, stopped.signal, handled).catch(async (error: unknown): Promise<ends.Ended> => {
    // It comes again, here or elsewhere.
    log.warn("what came of a message was not told", { queue, operation: message.operation, why: wordsOf(error) });
    handled();
    await pause(untoldMs, undefined, { signal: parts.signal }).catch(() => {});
    return { verdict: await goBack(), ending: "dropped" };
  });
  const abort = (why: AbortCause): void => stopWith(stopped, why);
  const left = Promise.withResolvers<Verdict>();
  const giveBack = (signal: AbortSignal): Promise<unknown> => {
    // What came of it is being told, and would be counted beside the copy's.
    const going: Promise<unknown> = isHandled ? ended : goBack().then(left.resolve);
    return unlessAborted(AbortSignal.any([signal, AbortSignal.timeout(giveBackMs)]), going);
  };
  const held: Attempt = {
    task: {
      ...{ id: `message ${newKey()}`, job_name, room_id: "@global", attempt: 1, status: "running" },
      ...{ payload: message.payload, checkpoint: null, parent_id: message.parent },
    },
    ...{ abort, giveBack, handled: whenHandled, isHandled: () => isHandled, done: ended.finally(handled) },
  };
  parts.hold(held);
  // Whatever becomes of a handler that goes on when its message is back: that has its verdict.
  return Promise.race([ended.then(({ verdict }) => verdict), left.promise]);
}

async function run(
  parts: OperationRunParts,
  received: ends.Received,
  stop: AbortSignal,
  handled: () => void,
): Promise<ends.Ended> {
  const { parents, jobs, patience } = parts;
  const { delivery, message } = received;
  const { operation, parent, payload } = message;
  const standing = parent === null ? "open" : await parents.standing(parent);
  if (standing === "final" || standing === "gone") return { verdict: "ack", ending: "dropped" };
  // Another consumer may count what this one may not.
  if (standing === "forbidden") return ends.passedOn(received);
  // The server took so long to answer that nobody has time for it any more.
  if (stop.aborted) return cutOff(received, stop);
  const tried = triedBefore(delivery);
  const failed: typeof ends.failed = (...told) => {
    handled();
    return ends.failed(...told);
  };
  if (tried >= patience.redeliveryMax) return failed(parts, message, ends.tooManyDeliveries(tried));
  const name = operationJob(operation);
  const job = jobs.get(name);
  if (job === undefined) {
    const isForOthers = await parts.isKnownElsewhere(operation, stop);
    return isForOthers ? ends.passedOn(received) : failed(parts, message, ends.unknownOperation(operation));
  }
  let deferral: CheckedDeferral | null = null;
  const defer = (given: CheckedDeferral): void => {
    ends.checkOnward(parts, message, given);
    deferral = given;
  };
  const port = { ...parents.portOf(parent), defer };
  const facts = { id: parent ?? "", job: name, room: "@global", attempt: 1, payload };
  const letSleep = keptAwake(parents, parent);
  const outcome = await runHandler(job, facts, port, stop).finally(letSleep);
  handled();
  // Somebody else does it, and tells of it.
  if (received.isBack()) return ends.givenBack(received);
  // Whoever is cut off by the end of his worker has not failed: another one gets the message.
  if (stop.aborted && outcome.type === "failed") return cutOff(received, stop);
  switch (outcome.type) {
    case "completed":
      return ends.completed(parts, message, deferral);
    case "released":
      return ends.later(parts, received, outcome.delayMs);
    case "failed":
      return isOutOfMemory({ ...outcome, name: ends.nameOf(outcome) })
        ? ends.withoutMemory(parts, received, outcome)
        : ends.failed(parts, message, outcome);
  }
}

async function cutOff(received: ends.Received, { reason }: AbortSignal): Promise<ends.Ended> {
  const isCutOff = reason instanceof TaskAborted && reason.why === "draining";
  return { ...(await ends.givenBack(received)), isCutOff };
}

/** Until what is answered is called. */
function keptAwake(parents: OperationRunParts["parents"], parent: string | null): () => void {
  let signs = 0;
  const awake = setInterval(() => {
    signs += 1;
    if (parent !== null) parents.keepAwake(parent);
    if (signs >= signsMax) clearInterval(awake);
  }, lifeMs).unref();
  return () => clearInterval(awake);
}
