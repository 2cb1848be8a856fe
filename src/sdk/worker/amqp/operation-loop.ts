// Operations by messages that have no task of their own. What came of one is counted on the task it belongs to, and only
// then is the message done with: whatever dies in between, it comes again, and is counted once by its index.

import { setTimeout as pause } from "node:timers/promises";
import { type OperationMessage, readOperationMessage } from "../../../protocol/amqp/messages.ts";
import type { Delivery, Verdict } from "../../amqp/consuming.ts";
import { acksHaveLeft } from "../../amqp/gathered-acks.ts";
import { noted, triedBefore } from "../../amqp/redelivery.ts";
import type { ClaimLoopParts } from "../claim-loop.ts";
import { brakes } from "./brakes.ts";
import { copies } from "./copies.ts";
import { lobby } from "./lobby.ts";
import * as ends from "./operation-ends.ts";
import { handle, type OperationRunParts } from "./operation-run.ts";
import type { Orders } from "./orders.ts";
import { passingOn } from "./passing-on.ts";
import { returns } from "./returns.ts";
import { solitude } from "./solitude.ts";
import { turnstile } from "./turnstile.ts";

export interface OperationLoopParts extends ClaimLoopParts, OperationRunParts {
  /** How many messages the broker hands out before their verdicts, beside one for each that may run. */
  readonly prefetch: number;
  readonly orders: Orders;
}

/** Fewer deliveries in vain are nobody's fault: the broker was restarted, or somebody else ended the process. */
const suspectAfter = 3;

/** Resolves when the signal aborts, and what has not begun by then is back in its queue. */
export async function operationLoop(parts: OperationLoopParts): Promise<void> {
  const { broker, queue, signal, hands, orders } = parts;
  const places = turnstile(hands, signal);
  const [waiting, unbegun] = [lobby(), lobby()];
  const back = returns();
  const known = copies();
  const alone = solitude({
    async begin() {
      await brake.hold("solitude");
      places.sendAway();
      await waiting.empty();
      await acksHaveLeft();
    },
    end: () => brake.letGo("solitude"),
  });
  const passing = passingOn({
    hold: () => brake.hold("round"),
    letGo: () => brake.letGo("round"),
    rest: (ms) => pause(ms, undefined, { signal }).catch(() => {}),
  });

  function receive(came: Delivery): Promise<Verdict> {
    const message = understood(parts, came);
    if (message === null) return Promise.resolve("deadLetter");
    return known.of(came, message) ?? known.here(came, message, received(came, message));
  }

  async function received(came: Delivery, message: OperationMessage): Promise<Verdict> {
    const [leave, begin] = [waiting.enter(), unbegun.enter()];
    try {
      return await begun(came, message, leave, begin);
    } finally {
      leave();
      begin();
    }
  }

  async function begun(
    came: Delivery,
    message: OperationMessage,
    leave: () => void,
    begin: () => void,
  ): Promise<Verdict> {
    const delivery = noted(came);
    const tried = triedBefore(delivery);
    // Its count is written down before it is tried again.
    const isToBeNoted = came.isRepeated && tried < parts.patience.redeliveryMax;
    const [goBack, isBack] = once(() => ends.publishedAnew(parts, delivery));
    if (isToBeNoted) return back.begin(goBack());
    if (tried > 0) await back.told();
    if (alone.isTaken() || orders.isPaused()) return goBack();
    const go = async (mayGo: boolean): Promise<Verdict> => {
      // Nothing that goes back then comes here again.
      if (signal.aborted) await brake.hold("end");
      if (signal.aborted || !mayGo) return goBack();
      leave();
      begin();
      return passing(message, goBack, (passOn) => handle(parts, { delivery, message, goBack, passOn, isBack }));
    };
    if (tried < suspectAfter) return places.enter(go);
    leave();
    return alone.enter(() => places.enter(go));
  }

  const brake = brakes(broker.consume(queue, () => hands.concurrency() + parts.prefetch, receive));
  orders.onResize(() => void brake.hold("size").then(() => brake.letGo("size")));
  orders.follow((isPaused) => {
    if (!isPaused) return brake.letGo("orders");
    // What waits here is for others, once none of it comes back to this one.
    void brake.hold("orders").then(places.sendAway);
  });
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await brake.hold("end");
  await unbegun.empty();
}

/** And whether it was done. */
function once<T>(act: () => T): readonly [() => T, () => boolean] {
  let done: { readonly answer: T } | null = null;
  const get = (): T => {
    done ??= { answer: act() };
    return done.answer;
  };
  return [get, () => done !== null];
}

function understood({ log, queue }: OperationLoopParts, { body }: Delivery): OperationMessage | null {
  const read = readOperationMessage(body);
  if (read.ok) return read.message;
  log.warn("a message was not understood; it is among the dead letters", { queue, why: read.fault });
  return null;
}
