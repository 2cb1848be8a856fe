// Messages that the broker delivers again while their handlers go on here: one took longer than its `consumer_timeout` allows,
// or the connection broke. What becomes of the first becomes of its copy; nobody has died of it, and nothing is done twice.

import type { OperationMessage } from "../../../protocol/amqp/messages.ts";
import type { Delivery, Verdict } from "../../amqp/consuming.ts";

export interface Copies {
  /** The verdict of the one that this is a copy of, which has not ended yet; null where it is none. */
  of(came: Delivery, message: OperationMessage): Promise<Verdict> | null;
  /** This one is here until its verdict. */
  here(came: Delivery, message: OperationMessage, verdict: Promise<Verdict>): Promise<Verdict>;
}

interface Here {
  readonly came: Delivery;
  readonly verdict: Promise<Verdict>;
}

export function copies(): Copies {
  const known = new Map<string, Here>();

  function here(came: Delivery, message: OperationMessage, verdict: Promise<Verdict>): Promise<Verdict> {
    const name = nameOf(message);
    if (name === null) return verdict;
    const mine = { came, verdict };
    known.set(name, mine);
    return verdict.finally(() => {
      if (known.get(name) === mine) known.delete(name);
    });
  }

  return {
    of(came, message) {
      if (!came.isRepeated) return null;
      const first = known.get(nameOf(message) ?? "");
      // The same words may have been sent twice: while the other can have its own verdict, this is one by itself.
      if (first === undefined || !first.came.isLost()) return null;
      return here(came, message, first.verdict);
    },
    here,
  };
}

/** Null where nothing tells one message from another. */
function nameOf({ parent, index, operation }: OperationMessage): string | null {
  return parent === null || index === null ? null : `${parent} ${index} ${operation}`;
}
