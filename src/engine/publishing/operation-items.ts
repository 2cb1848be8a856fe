// The messages that come with a deferral. They are items of the outbox, written with it, so that a coordinator that has
// deferred has told everybody, whatever happens in between.

import { bundled, type OperationMessage, operationMessage } from "../../core/messages.ts";
import { badField } from "../../core/problem.ts";
import type { Move } from "../../core/task.ts";
import type { OutboxItem } from "../../ports/records.ts";
import type { Surroundings } from "../surroundings.ts";

/**
 * Messages of one item: they are sent together, and those that were not confirmed again. Never more than may
 * wait in a queue.
 */
const bodiesMax = 100;
const lengthMax = 256 * 1_024;

/** One kind for each queue, so that one that is full hides none of the others. */
export function messagesKind(queue: string): string {
  return `messages:${queue}`;
}

/** Of those that the broker has, until they are counted. */
export function sentKind(queue: string): string {
  return `sent:${queue}`;
}

/** Null where an item of this kind has no messages. */
export function queueOfKind(kind: string): string | null {
  const [, queue = null] = /^(?:messages|sent):(.*)$/s.exec(kind) ?? [];
  return queue;
}

export interface Messages {
  readonly bodies: readonly string[];
  /** How often they were told again because nobody counted them. */
  readonly times: number;
  /** Since when the broker has them, where they have been looked at since. */
  readonly sentAt?: number;
}

export function messagesIn({ data }: OutboxItem): Messages {
  return JSON.parse(data as string) as Messages;
}

export function messagesData(messages: Messages): string {
  return JSON.stringify(messages);
}

/** Throws where a queue is not one for operations, or a message is longer than the broker takes. */
export function operationItems(
  { ids, clock, settings }: Pick<Surroundings, "ids" | "clock" | "settings">,
  task: string,
  move: Move,
): readonly OutboxItem[] {
  if (move.type !== "defer" || move.messages === undefined) return [];
  const perQueue = new Map<string, string[]>();
  for (const [index, message] of move.messages.entries()) {
    const { queue, operation, payload } = checked(message, index, settings.brokerQueues);
    const bodies = perQueue.get(queue) ?? [];
    bodies.push(
      ofLength(operationMessage({ operation, parent: task, index, payload }), index, settings.messageBytesMax),
    );
    perQueue.set(queue, bodies);
  }
  const at = clock.now();
  return [...perQueue].flatMap(([queue, bodies]) =>
    bundled(bodies, Math.min(bodiesMax, settings.unconsumedMax), lengthMax).map((bundle) => ({
      ...{ id: ids.next(), kind: messagesKind(queue), key: task, at },
      data: messagesData({ bodies: bundle, times: 0 }),
    })),
  );
}

function checked(
  message: OperationMessage,
  nth: number,
  queues: Surroundings["settings"]["brokerQueues"],
): OperationMessage {
  if (queues.get(message.queue) === "operation") return message;
  throw badField(`/messages/${nth}/queue`, `is '${message.queue}', which is not a queue of operations`);
}

function ofLength(body: string, nth: number, bytesMax: number): string {
  const bytes = Buffer.byteLength(body);
  if (bytes <= bytesMax) return body;
  throw badField(`/messages/${nth}`, `is a message of ${bytes} bytes; the broker takes ${bytesMax}`);
}
