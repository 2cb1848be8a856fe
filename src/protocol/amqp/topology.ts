// What a broker holds for us. Whoever publishes and whoever consumes declares the same, from here: a broker refuses a
// queue that is declared twice with different arguments.

/**
 * What a queue is for: its messages are ids of tasks, or operations without a task of their own. One that is serial has ids of
 * tasks, which run one at a time, however many consumers there are.
 */
export const queueUses = ["job", "operation", "serial"] as const;
export type QueueUse = (typeof queueUses)[number];
export type QueueMap = Readonly<Record<string, QueueUse>>;

export function isQueueMap(value: unknown): value is QueueMap {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((use) => queueUses.includes(use));
}

/** What its messages are. */
export function kindOf(use: QueueUse): "job" | "operation" {
  return use === "operation" ? "operation" : "job";
}

/** The queues of the document, which are those of a broker where nobody says otherwise. */
export const documentQueues: QueueMap = Object.freeze({
  "protea.ping": "job",
  "protea.jobs": "job",
  "protea.embeddings": "job",
  "protea.predictions": "job",
  "protea.training": "job",
  "protea.evaluations": "job",
  "protea.embeddings.batch": "operation",
  "protea.embeddings.write": "operation",
  "protea.predictions.batch": "operation",
  "protea.predictions.write": "operation",
});

/** Its coordinators that run one job at a time, whatever a map says of them. */
export const serialQueues: ReadonlySet<string> = new Set([
  "protea.embeddings",
  "protea.predictions",
  "protea.training",
]);

/** Those that are serial, by this map or by the document. */
export function serialIn(queues: QueueMap): ReadonlySet<string> {
  const named = Object.keys(queues).filter((queue) => queues[queue] === "serial");
  return new Set([...serialQueues, ...named]);
}

/** Where messages go that nobody can read, or that were given up. Nothing of ours ever takes them away. */
export interface DeadLetters {
  readonly exchange: string;
  readonly queue: string;
}

export const documentDeadLetters: DeadLetters = Object.freeze({
  exchange: "protea.dlx",
  queue: "protea.dead-letter",
});

export interface QueueDeclaration {
  readonly queue: string;
  readonly durable: true;
  readonly arguments?: Readonly<Record<string, string | boolean>>;
}

export interface Topology {
  readonly exchange: { readonly exchange: string; readonly type: "fanout"; readonly durable: true };
  readonly deadLetterQueue: QueueDeclaration;
  readonly binding: { readonly exchange: string; readonly queue: string; readonly routingKey: "" };
  readonly queues: readonly QueueDeclaration[];
}

export function topology(
  queues: Iterable<string>,
  deadLetters: DeadLetters = documentDeadLetters,
  serial: ReadonlySet<string> = serialQueues,
): Topology {
  const { exchange, queue } = deadLetters;
  return {
    exchange: { exchange, type: "fanout", durable: true },
    deadLetterQueue: { queue, durable: true },
    binding: { exchange, queue, routingKey: "" },
    queues: [...queues].map((name) => queueDeclaration(name, exchange, serial.has(name))),
  };
}

function queueDeclaration(queue: string, exchange: string, isSerial: boolean): QueueDeclaration {
  const serial = isSerial ? { "x-single-active-consumer": true } : {};
  return { queue, durable: true, arguments: { "x-dead-letter-exchange": exchange, ...serial } };
}

/** As much of a channel as it takes; that of `rabbitmq-client` has it. */
export interface Declaring {
  exchangeDeclare(declaration: Topology["exchange"]): Promise<unknown>;
  queueDeclare(declaration: QueueDeclaration): Promise<unknown>;
  queueBind(binding: Topology["binding"]): Promise<unknown>;
}

/** What is there already stays as it is. A broker ends the channel over what it does not like, and nothing after it is declared. */
export async function declare(channel: Declaring, wanted: Topology): Promise<void> {
  await declareDeadLetters(channel, wanted);
  for (const queue of wanted.queues) await channel.queueDeclare(queue);
}

export async function declareDeadLetters(channel: Declaring, wanted: Topology): Promise<void> {
  await channel.exchangeDeclare(wanted.exchange);
  await channel.queueDeclare(wanted.deadLetterQueue);
  await channel.queueBind(wanted.binding);
}

/** The broker keeps this beginning for itself. */
const reserved = /^amq\./;
const nameBytesMax = 255;

/** Why a name cannot be that of a queue or an exchange; null where it can. */
export function nameFault(name: string): string | null {
  if (name === "") return "is empty";
  if (Buffer.byteLength(name) > nameBytesMax) return `is longer than ${nameBytesMax} bytes`;
  if (reserved.test(name)) return "begins with amq., which the broker keeps for itself";
  return name.includes("\u0000") ? "contains a NUL character" : null;
}
