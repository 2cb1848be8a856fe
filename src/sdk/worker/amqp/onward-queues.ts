// Which queues messages may be left in, by whoever hands one on or splits a task. A broker makes a queue of any name, and nobody would ever look there: its
// coordinator would wait for ever. So the map of queues is asked, which consumers are told as the server is.

import type { QueueMap } from "../../../protocol/amqp/topology.ts";
import { Fail } from "../../ending.ts";
import type { WorkerLog } from "../options.ts";

export interface OnwardQueuesParts {
  /** As this consumer was told. */
  readonly queues: QueueMap;
  /** Its own, and what is in it, whether or not the map has it. */
  readonly queue: string;
  readonly kind: "job" | "operation";
  readonly log: Pick<WorkerLog, "warn">;
}

/** Warned of, each once. */
const warnedMax = 100;

/** Throws a failure that no other attempt would mend, where a queue is not one of operations. */
export function onwardQueues({ queues, queue: own, kind, log }: OnwardQueuesParts): (queue: string) => void {
  const useOf = (queue: string) => (Object.hasOwn(queues, queue) ? queues[queue] : undefined);
  // A map that does not know where its own consumer is cannot say which queues there are not.
  const isWhole = useOf(own) !== undefined;
  const warned = new Set<string>();

  return (queue) => {
    const use = useOf(queue);
    if (queue === own ? kind === "operation" : use === "operation") return;
    if (queue === own || use !== undefined || isWhole) throw refusal(queue);
    if (warned.has(queue) || warned.size >= warnedMax) return;
    warned.add(queue);
    const said =
      "a queue that messages are handed on to is not known here; set LEADHAND_AMQP_QUEUES as the server has it";
    log.warn(said, { queue: own, onward: queue });
  };
}

function refusal(queue: string): Fail {
  const said = `A message was handed on to '${queue}', which is not a queue of operations by LEADHAND_AMQP_QUEUES here`;
  return new Fail(said, { code: "deferral-refused", retryable: false });
}
