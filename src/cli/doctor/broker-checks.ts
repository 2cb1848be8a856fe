// Whether RabbitMQ, where the settings name one, can be used as a server would use it.

import type { Config } from "../../server/settings/settings.ts";
import { counted } from "../counted.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const withinMs = 8_000;

export async function brokerChecks(config: Config): Promise<readonly Finding[]> {
  const [{ brokerField, lookAtBroker }, { systemClock }] = await Promise.all([
    import("../../server/message-broker.ts"),
    import("../../server/system.ts"),
  ]);
  const { rabbitmq: name } = brokerField(config);
  const look = await lookAtBroker(config, systemClock(), withinMs);
  if (!look.reached) {
    const advice = "look whether it runs, and at LEADHAND_AMQP_URL; tasks wait meanwhile and none is lost";
    return [fail("rabbitmq", `${name}: ${look.why}`, advice)];
  }
  const inState = (wanted: string) => [...look.queues].filter(([, state]) => state === wanted).map(([queue]) => queue);
  const missing = inState("missing").length;
  const toMake = missing === 0 ? "" : `; the server will make ${counted(missing, "queue")}`;
  const advice = "delete it when it is empty: the server makes it as it has to be, and uses it as it is meanwhile";
  return [
    ok("rabbitmq", `${name} has ${look.queues.size - missing} of ${counted(look.queues.size, "queue")}${toMake}`),
    ...(look.deadLetters === 0 ? [] : [deadLetterFinding(config.amqpDeadLetterQueue, look.deadLetters)]),
    ...inState("different").map((queue) => warn("rabbitmq", `${queue} was made with other arguments`, advice)),
    ...inState("locked").map((queue) =>
      warn("rabbitmq", `another connection has ${queue} for itself`, "its tasks wait until that connection is closed"),
    ),
    ...inState("forbidden").map((queue) =>
      warn("rabbitmq", `we may not declare ${queue}`, "give the user of LEADHAND_AMQP_URL the right to configure it"),
    ),
  ];
}

/** Each is an operation that was not done, or a message from who knows whom. */
function deadLetterFinding(queue: string, count: number): Finding {
  const advice = "read them, and send back what is worth it: docs/guides/rabbitmq.md tells how, under Dead letters";
  return warn("rabbitmq", `${counted(count, "message")} in ${queue}, the dead letters`, advice);
}
