// A look at a broker that changes nothing: whether it can be reached, and what it has of that which a server would declare.

import { Connection } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import { brokerWords } from "../../protocol/amqp/broker-words.ts";
import type { QueueDeclaration, Topology } from "../../protocol/amqp/topology.ts";
import { inTime } from "./in-time.ts";
import { codeOf, quietChannel } from "./rabbit-questions.ts";

export interface RabbitLookOptions {
  readonly url: string;
  readonly topology: Topology;
  readonly clock: Clock;
  readonly limitMs: number;
}

/** A queue that is missing is made by the server; one that is different it has to use as it is. */
export type QueueState = "there" | "missing" | "different" | "forbidden" | "locked";

export type RabbitLook =
  | {
      readonly reached: true;
      readonly queues: ReadonlyMap<string, QueueState>;
      /** How many messages are among the dead letters; 0 where nobody can tell. */
      readonly deadLetters: number;
    }
  | { readonly reached: false; readonly why: string };

export async function lookAtRabbit({ url, topology, clock, limitMs }: RabbitLookOptions): Promise<RabbitLook> {
  const connection = new Connection({ url, connectionName: "leadhand doctor", connectionTimeout: limitMs });
  const { promise: lost, reject } = Promise.withResolvers<never>();
  connection.on("error", reject);
  try {
    const looking = lookedAt(connection, topology);
    return { reached: true, ...(await inTime(clock, limitMs, Promise.race([looking, lost]))) };
  } catch (error) {
    return { reached: false, why: brokerWords(error) };
  } finally {
    connection.unsafeDestroy();
  }
}

async function lookedAt(connection: Connection, { deadLetterQueue, queues }: Topology) {
  const states = await statesOf(connection, [deadLetterQueue, ...queues]);
  return { queues: states, deadLetters: await depthOf(connection, deadLetterQueue.queue) };
}

async function depthOf(connection: Connection, queue: string): Promise<number> {
  const channel = await quietChannel(connection);
  try {
    return (await channel.queueDeclare({ queue, passive: true })).messageCount;
  } catch {
    // What is wrong with it is said by its state.
    return 0;
  } finally {
    await channel.close();
  }
}

async function statesOf(
  connection: Connection,
  declarations: readonly QueueDeclaration[],
): Promise<ReadonlyMap<string, QueueState>> {
  const states = new Map<string, QueueState>();
  for (const declaration of declarations) states.set(declaration.queue, await stateOf(connection, declaration));
  return states;
}

const statesByCode: ReadonlyMap<string, QueueState> = new Map([
  ["NOT_FOUND", "missing"],
  ["PRECONDITION_FAILED", "different"],
  ["ACCESS_REFUSED", "forbidden"],
  ["RESOURCE_LOCKED", "locked"],
]);

/** What the broker refuses costs the channel, so each queue has its own. */
async function stateOf(connection: Connection, declaration: QueueDeclaration): Promise<QueueState> {
  const channel = await quietChannel(connection);
  try {
    await channel.queueDeclare({ queue: declaration.queue, passive: true });
    // It is there, so this makes nothing: it only compares.
    await channel.queueDeclare(declaration);
    return "there";
  } catch (error) {
    const state = statesByCode.get(codeOf(error));
    if (state === undefined) throw error;
    return state;
  } finally {
    await channel.close();
  }
}
