// What the broker says of its queues, for whoever asks why something waits. It is asked once a second at most for each, and
// not waited for longer than a moment: what it said before is better than a slow answer.

import type { Courier, QueueLook } from "../../ports/courier.ts";
import type { Surroundings } from "../surroundings.ts";

export interface BrokerQueue {
  readonly awaySince: number | null;
  /** Null where the broker has not said. */
  readonly look: QueueLook | null;
}

/** Null where tasks of this queue are not told to a broker. */
export type BrokerLooks = (queue: string) => Promise<BrokerQueue | null>;

const knownMs = 1_000;
const patienceMs = 20;

export function brokerLooks(
  { clock, settings }: Pick<Surroundings, "clock" | "settings">,
  courier: Pick<Courier, "awaySince" | "look"> | undefined,
): BrokerLooks {
  const known = new Map<string, { readonly at: number; readonly look: QueueLook | null }>();
  const asking = new Map<string, Promise<void>>();

  async function ask(from: Pick<Courier, "look">, queue: string): Promise<void> {
    const look = await from.look(queue);
    known.set(queue, { at: clock.now(), look });
    asking.delete(queue);
  }

  return async (queue) => {
    if (courier === undefined || settings.brokerQueues.get(queue) !== "job") return null;
    const awaySince = courier.awaySince();
    if (awaySince !== null) return { awaySince, look: null };
    const isOld = clock.now() - (known.get(queue)?.at ?? Number.NEGATIVE_INFINITY) >= knownMs;
    if (isOld && !asking.has(queue)) asking.set(queue, ask(courier, queue));
    if (isOld) await soon(asking.get(queue) as Promise<void>);
    return { awaySince, look: known.get(queue)?.look ?? null };
  };

  function soon(work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const silence = clock.alarm(clock.now() + patienceMs, resolve);
      void work.finally(() => {
        silence();
        resolve();
      });
    });
  }
}
