// Declaring what a broker has to hold for us. A queue may be refused, or not be answered for, while everything else is
// well: its home node is down, somebody has it for himself, its process hangs. Such a queue counts as missing, is told of
// once, and is tried again now and then; the others are used. Only a lost connection is everybody's.

import type { Channel } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { brokerWords } from "../../protocol/amqp/broker-words.ts";
import { declareDeadLetters, type QueueDeclaration, type Topology } from "../../protocol/amqp/topology.ts";
import { codeOf, queueWords, type RabbitQuestions } from "./rabbit-questions.ts";

export interface RabbitDeclarations {
  /** Rejects where the connection is lost, and for no other reason. */
  all(): Promise<void>;
  /** Whether the queue, one of the topology, is there afterwards. Rejects as `all` does. */
  declare(queue: string): Promise<boolean>;
  /** False for a queue that could not be declared and is still to be. */
  isThere(queue: string): boolean;
  /** The queue turned out not to take messages: it counts as missing until it is declared again. */
  miss(queue: string, error: unknown): void;
  stop(): void;
}

export interface RabbitDeclarationsOptions extends Pick<RabbitQuestions, "ask"> {
  readonly topology: Topology;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether there is a connection, and the broker heeds it. */
  isOpen(): boolean;
}

type Declaring = (channel: Channel) => Promise<unknown>;

const againMs = 30_000;
const lacks = "RabbitMQ is used without";

const advice: ReadonlyMap<string, string> = new Map([
  ["PRECONDITION_FAILED", "it was made with other arguments: delete it when it is empty"],
  ["ACCESS_REFUSED", "we may not declare it"],
]);

export function rabbitDeclarations(options: RabbitDeclarationsOptions): RabbitDeclarations {
  const { topology, clock, log, ask, isOpen } = options;
  /** What was said of each, so that it is said once. */
  const complaints = new Map<string, Set<string>>();
  const missing = new Map<string, Declaring>();
  let silence: (() => void) | null = null;
  let stopped = false;

  /** One that is there with other arguments can be used, and perhaps one that we may not declare; others are missing. */
  async function declared(what: string, work: Declaring): Promise<boolean> {
    try {
      await ask(what, work);
      found(what);
      return true;
    } catch (error) {
      if (!isOpen()) throw error;
      const code = codeOf(error);
      const known = advice.get(code);
      complain(what, known === undefined ? `${lacks} ${what}` : `RabbitMQ refuses ${what}; ${known}`, error);
      if (!advice.has(code)) missed(what, work);
      else missing.delete(what);
      return code === "PRECONDITION_FAILED";
    }
  }

  function complain(what: string, message: string, error: unknown): void {
    const said = complaints.get(what) ?? new Set();
    if (!said.has(message)) log.error(message, { error: brokerWords(error) });
    complaints.set(what, said.add(message));
  }

  function found(what: string): void {
    if (missing.delete(what)) log.info(`RabbitMQ is used with ${what} now`);
    complaints.delete(what);
  }

  function missed(what: string, work: Declaring): void {
    missing.set(what, work);
    if (stopped) return;
    silence ??= clock.alarm(clock.now() + againMs, () => {
      silence = null;
      // Without a connection all is declared with the next.
      if (isOpen()) for (const [each, again] of [...missing]) void declared(each, again).catch(() => {});
    });
  }

  const declaring =
    (declaration: QueueDeclaration): Declaring =>
    (channel) =>
      channel.queueDeclare(declaration);
  const named = (queue: string) => topology.queues.find((each) => each.queue === queue);

  function declaredQueue(declaration: QueueDeclaration): Promise<boolean> {
    return declared(queueWords(declaration.queue), declaring(declaration));
  }

  return {
    async all() {
      const deadLetters = declared("the dead-letter queue", (channel) => declareDeadLetters(channel, topology));
      await Promise.all([deadLetters, ...topology.queues.map(declaredQueue)]);
    },
    async declare(queue) {
      const declaration = named(queue);
      return declaration !== undefined && (await declaredQueue(declaration));
    },
    isThere: (queue) => !missing.has(queueWords(queue)),
    miss(queue, error) {
      const [what, declaration] = [queueWords(queue), named(queue)];
      complain(what, `${lacks} ${what}`, error);
      if (declaration !== undefined) missed(what, declaring(declaration));
    },
    stop() {
      stopped = true;
      silence?.();
    },
  };
}
