// What to do after a connection has ended.

import { unauthorized } from "../presence.ts";
import type { ConnectionEnd } from "./connection.ts";
import { closeCodes } from "./words.ts";

export type Step =
  | { readonly type: "again"; readonly afterMs: number }
  /** With another token, if there is one. */
  | { readonly type: "renew" }
  /** WebSockets may not come through; where REST does, that will have to do. */
  | { readonly type: "without"; readonly afterMs: number }
  | { readonly type: "give up"; readonly error: Error };

export interface NextStep {
  /** A connection has been welcomed. */
  welcomed(): void;
  /** `hasTasks`: whoever holds some has to come back before the server gives him up. */
  after(end: ConnectionEnd, hasTasks: boolean): Step;
}

const delayMsMin = 500;
const delayMsMax = 10_000;
const delayMsMaxWithTasks = 2_000;
const soonMs = 1_000;
/** Of answers to the upgrade that are none, in a row. A proxy that let one through before has more patience. */
const refusalsMax = { before: 2, after: 10 } as const;
const badMessagesMax = 5;

/** `chance` in [0, 1): many workers that lost one server do not come back in one moment. */
export function nextStep(chance: () => number): NextStep {
  let tried = 0;
  let wasWelcome = false;
  let isWelcome = false;
  /** A connection broke before it was answered: what it said may still arrive, later than what the next one says. */
  let isDoubtful = false;
  let isNew = true;
  let refusals = 0;
  let badMessages = 0;
  let unauthorizedTimes = 0;

  function delayMs(hasTasks: boolean): number {
    const max = hasTasks ? delayMsMaxWithTasks : delayMsMax;
    const grown = Math.min(max, delayMsMin * 2 ** Math.min(tried, 10));
    tried += 1;
    return grown * (0.5 + chance() / 2);
  }

  function closed(code: number, reason: string, hasTasks: boolean): Step {
    switch (code) {
      case closeCodes.unauthorized:
        unauthorizedTimes += 1;
        return unauthorizedTimes > 1 ? { type: "give up", error: unauthorized() } : { type: "renew" };
      case closeCodes.replaced:
        if (isDoubtful) {
          isDoubtful = false;
          break;
        }
        return { type: "give up", error: new Error("Another connection goes on as this worker; this one ends") };
      case closeCodes.badMessage:
      case closeCodes.tooLarge:
        badMessages += 1;
        if (badMessages < badMessagesMax) break;
        return { type: "give up", error: new Error(`The server does not understand this worker: ${reason || code}`) };
      case closeCodes.goingAway:
      case closeCodes.done:
        if (isNew) break;
        isNew = true;
        return { type: "again", afterMs: chance() * soonMs };
    }
    return { type: "again", afterMs: delayMs(hasTasks) };
  }

  return {
    welcomed() {
      [wasWelcome, isWelcome] = [true, true];
      isNew = false;
      [tried, refusals, unauthorizedTimes] = [0, 0, 0];
    },
    after(end, hasTasks) {
      if (end.type !== "refused") refusals = 0;
      if (hasBroken(end) && wasWelcome && !isWelcome) isDoubtful = true;
      // Whatever was on its way has arrived before a connection that lasted.
      else if (isWelcome && !isReplaced(end)) isDoubtful = false;
      isWelcome = false;
      const isBad =
        end.type === "closed" && [closeCodes.badMessage, closeCodes.tooLarge].some((code) => code === end.code);
      if (!isBad) badMessages = 0;
      if (end.type === "closed") return closed(end.code, end.reason, hasTasks);
      const afterMs = delayMs(hasTasks);
      if (end.type === "failed") return { type: "again", afterMs };
      refusals += 1;
      const isEnough = refusals >= refusalsMax[wasWelcome ? "after" : "before"] && !hasTasks;
      return { type: isEnough ? "without" : "again", afterMs };
    },
  };
}

function isReplaced(end: ConnectionEnd): boolean {
  return end.type === "closed" && end.code === closeCodes.replaced;
}

/** How a close is told of which the other side said nothing. */
const unsaidClose = 1006;

function hasBroken(end: ConnectionEnd): boolean {
  return end.type === "failed" || (end.type === "closed" && end.code === unsaidClose);
}
