import { queueUses } from "../../protocol/amqp/topology.ts";
import type { Sessions } from "../amqp/sessions.ts";
import type { TokenSource } from "../credentials.ts";
import type { AckMode } from "./amqp/task-loop.ts";

/** What a worker says about itself, in lines. */
export interface WorkerLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Where the server is, and how the worker works. */
export interface WorkerOptions {
  /** Of the server; else LEADHAND_URL, else http://127.0.0.1:7070. */
  readonly url?: string;
  /** Else LEADHAND_TOKEN. A function is asked for every request. */
  readonly token?: TokenSource;
  /** How many tasks run side by side. */
  readonly concurrency?: number;
  /** How many more tasks it keeps in hand than it runs, so that none waits for the wire. 0 where absent. */
  readonly prefetch?: number;
  /**
   * How it talks to the server: over the `/work` WebSocket ("work"), by requests alone ("rest"), or as a worker of the fleet
   * ("fleet"), whose jobs are function blocks, `@global:blocks:package/name:version`. Where absent it is the first, or the
   * second where WebSockets do not come through. With "amqp" it hears of its work from a queue of RabbitMQ.
   */
  readonly link?: "work" | "rest" | "fleet" | "amqp";
  /** Over "amqp": the queue that it consumes. */
  readonly queue?: string;
  /** Over "amqp": of the broker; else LEADHAND_AMQP_URL. */
  readonly amqpUrl?: string;
  /**
   * Over "amqp": what the queue's messages are, tasks ("job"), tasks that run one at a time ("serial") or operations; else as
   * LEADHAND_AMQP_QUEUES says, or the document's map where that is not set. A queue that neither has needs it.
   */
  readonly kind?: "job" | "serial" | "operation";
  /** Over "amqp": when a message that names a task is acknowledged; "afterClaim" where absent. */
  readonly ackMode?: AckMode;
  /**
   * Sessions of the author's own database: each handler gets one as `task.session`, which is committed before the task
   * completes. What fails for a moment, as a deadlock, is tried three times, or as LEADHAND_TRANSIENT_RETRY_ATTEMPTS says.
   */
  readonly sessions?: Sessions;
  /** Whether it registers jobs that the server does not know, or leaves it to `leadhand specs push`; "missing" where absent. */
  readonly register?: "missing" | "never";
  /** Of jobs whose name does not say one; `@global` where absent. */
  readonly room?: string;
  /** Shown to people. */
  readonly name?: string;
  /** It also gets tasks that ask for these. */
  readonly labels?: Readonly<Record<string, string>>;
  /** It gets tasks of these queues alone; of all where absent. */
  readonly queues?: readonly string[];
  /** How often it gives a sign of life by requests: every 15 s, over "fleet" every 20 s; on `/work` it does so each second. */
  readonly heartbeatMs?: number;
  /** Over "fleet": how often it asks for jobs while there are none; 10 s where absent. */
  readonly pollMs?: number;
  /** How long handlers have to end when the worker stops: else LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS, else 30 s, over "fleet" 60 s. */
  readonly drainMs?: number;
  /** Whether `run` ends at SIGINT and SIGTERM. */
  readonly signals?: boolean;
  /** Whether to listen over Socket.IO beside REST, so that cancels arrive at once; on `/work` they do anyway. */
  readonly socket?: boolean;
  /** Where its own lines go: to the standard error where absent, nowhere with null. */
  readonly log?: WorkerLog | null;
}

export const workerDefaults = {
  concurrency: 1,
  prefetch: 0,
  register: "missing",
  room: "@global",
  heartbeatMs: 15_000,
  drainMs: 30_000,
  signals: true,
  socket: true,
} as const;

const links: readonly string[] = ["work", "rest", "fleet", "amqp"];

const fleetDefaults = {
  ...workerDefaults,
  heartbeatMs: 20_000,
  drainMs: 60_000,
  pollMs: 10_000,
  socket: false,
} as const;

export function defaultsFor({ link }: WorkerOptions): typeof workerDefaults | typeof fleetDefaults {
  return link === "fleet" ? fleetDefaults : workerDefaults;
}

export function checkOptions(options: WorkerOptions): void {
  const { link = "work", concurrency = 1, prefetch = 0, heartbeatMs = 1, pollMs = 1, drainMs = 0 } = options;
  if (!links.includes(link)) throw new TypeError(`The link "${link}" is not there; ${links.join(", ")} are`);
  checkBrokerOptions(options);
  if (!(Number.isInteger(prefetch) && prefetch >= 0 && prefetch <= 10_000)) {
    throw new RangeError(`prefetch is ${prefetch}; it has to be a whole number from 0 to 10000`);
  }
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 10_000)) {
    throw new RangeError(`concurrency is ${concurrency}; it has to be a whole number from 1 to 10000`);
  }
  if (!(heartbeatMs > 0 && heartbeatMs <= 3_600_000)) throw new RangeError(`heartbeatMs is ${heartbeatMs}`);
  if (!(pollMs > 0 && pollMs <= 3_600_000)) throw new RangeError(`pollMs is ${pollMs}`);
  if (!(drainMs >= 0)) throw new RangeError(`drainMs is ${drainMs}`);
}

function checkBrokerOptions({ link, queue, ackMode = "afterClaim", kind = "job" }: WorkerOptions): void {
  if (link !== "amqp") {
    if (queue !== undefined) throw new TypeError('queue is for the link "amqp"; others have queues');
    return;
  }
  if (queue === undefined || queue === "") throw new TypeError('The link "amqp" needs a queue to consume');
  if (!ackModes.includes(ackMode)) throw new TypeError(`ackMode is ${ackMode}; it has to be ${ackModes.join(", ")}`);
  if (!queueUses.includes(kind)) throw new TypeError(`kind is ${kind}; it has to be ${queueUses.join(", ")}`);
}

const ackModes: readonly string[] = ["afterClaim", "preAck", "afterJob"];

export function logOf(log: WorkerLog | null | undefined): WorkerLog {
  if (log === null) return { debug() {}, info() {}, warn() {}, error() {} };
  return log ?? { debug() {}, info: toStandardError, warn: toStandardError, error: toStandardError };
}

function toStandardError(message: string, fields?: Readonly<Record<string, unknown>>): void {
  console.error(`leadhand: ${message}`, ...(fields === undefined ? [] : [fields]));
}
