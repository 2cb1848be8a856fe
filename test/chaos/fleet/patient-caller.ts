// One who asks until there is an answer: what got none, or 503, is asked again under the same key.

import { setTimeout as pause } from "node:timers/promises";
import { type Ask, caller, type Reply } from "../rest/caller.ts";

export type PatientAsk = (method: string, path: string, ask?: Ask) => Promise<Reply>;

const pauseMs = 150;
const silenceMs = 10_000;

/** Answers what is neither 503 nor silence. */
export function patientCaller(url: string, token: string): PatientAsk {
  const calling = caller({ url, token });
  return async (method, path, ask) => {
    for (;;) {
      const reply = await Promise.race([calling.ask(method, path, ask), pause(silenceMs, null, { ref: false })]);
      if (reply !== null && reply.status !== 503 && reply.status !== 429) return reply;
      await pause(pauseMs);
    }
  };
}
