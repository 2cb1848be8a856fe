// Messages on their way back into their queue. A copy may come here before the first of it is acknowledged; were it run by
// then, and ended its process, the broker would deliver both: two where there was one, and each would be tried for itself.

import type { Verdict } from "../../amqp/consuming.ts";
import { acksHaveLeft } from "../../amqp/gathered-acks.ts";

export interface Returns {
  begin(returned: Promise<Verdict>): Promise<Verdict>;
  /** Resolves when the broker has been told of all that are on their way by now. */
  told(): Promise<void>;
}

export function returns(): Returns {
  const underWay = new Set<Promise<Verdict>>();

  return {
    begin(returned) {
      const told = returned.finally(async () => {
        await acksHaveLeft();
        underWay.delete(told);
      });
      underWay.add(told);
      return returned;
    },
    async told() {
      await Promise.allSettled(underWay);
    },
  };
}
