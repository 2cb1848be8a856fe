// Messages of operations that this consumer does not know and a colleague does. Each goes to the end of its queue at once, where it
// stands in nobody's way. A consumer that has been round once and ran nothing rests for a moment, so that it does not turn the
// queue for ever.

import type { OperationMessage } from "../../../protocol/amqp/messages.ts";
import type { Verdict } from "../../amqp/consuming.ts";
import { refusals } from "./refusals.ts";

export interface PassingOnParts {
  /** Keeps messages from coming; resolves when none comes any more. */
  hold(): Promise<void>;
  letGo(): void;
  /** Never rejects. */
  rest(ms: number): Promise<void>;
}

/** Handles a message that may turn out to be for a colleague, and is then to be passed on. */
export type PassingOn = (
  message: OperationMessage,
  goBack: () => Promise<Verdict>,
  handle: (passOn: () => Promise<Verdict>) => Promise<Verdict>,
) => Promise<Verdict>;

export function passingOn({ hold, letGo, rest }: PassingOnParts): PassingOn {
  const rounds = refusals();

  async function passOn({ parent, index, operation }: OperationMessage, goBack: () => Promise<Verdict>) {
    // Where nothing tells two messages apart, the second begins a round: that costs a rest.
    const refused = [JSON.stringify([parent, index, operation])];
    const restMs = rounds.restMs({ claimed: 0, asked: [], refused });
    if (restMs === 0) return goBack();
    // In this order what goes back does not come here again before the rest is over.
    await hold();
    const verdict = await goBack();
    void rest(restMs).then(letGo);
    return verdict;
  }

  return async (message, goBack, handle) => {
    let isPassedOn = false;
    const verdict = await handle(() => {
      isPassedOn = true;
      return passOn(message, goBack);
    });
    if (!isPassedOn) rounds.restMs({ claimed: 1, asked: [], refused: [] });
    return verdict;
  };
}
