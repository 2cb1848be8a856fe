// Messages come while nobody is against it: not the operator, not the loop itself.

import type { Consuming } from "../../amqp/consuming.ts";

export interface Brakes {
  /** Resolves when the broker has heard of it. */
  hold(why: string): Promise<void>;
  /** One that holds nothing is let go in vain. */
  letGo(why: string): void;
}

export function brakes(messages: Consuming): Brakes {
  const held = new Set<string>();

  return {
    hold(why) {
      held.add(why);
      return messages.pause();
    },
    letGo(why) {
      held.delete(why);
      if (held.size === 0) messages.resume();
    },
  };
}
