// A worker that hears of its work from RabbitMQ, and talks to the server about it by requests. The broker only tells;
// what is true is in the server's database.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { DeadLetters, QueueMap } from "../../../protocol/amqp/topology.ts";
import { type BrokerLink, brokerLink } from "../../amqp/broker-link.ts";
import { parents } from "../../amqp/parents.ts";
import type { Patience } from "../../amqp/patience.ts";
import { askedBefore, growingDelayMs } from "../../amqp/retry-delay.ts";
import { wordsOf } from "../../failure.ts";
import type { JobDefinition } from "../../job.ts";
import type { SteadyApi } from "../../steady-api.ts";
import type { ClaimLoopParts } from "../claim-loop.ts";
import type { ClaimedTask } from "../claimed-task.ts";
import { unlessAborted } from "../cut-short.ts";
import { register } from "../registration.ts";
import type { LinkKind, LinkWires, RequestLink } from "../request-link.ts";
import { leaseEveryMs } from "./lease-beat.ts";
import { onwardQueues } from "./onward-queues.ts";
import { operationLoop } from "./operation-loop.ts";
import { orders } from "./orders.ts";
import { settleBatch } from "./settle-batch.ts";
import { type AckMode, taskLoop } from "./task-loop.ts";
import { unknownJobs } from "./unknown-jobs.ts";
import { unknownOperations } from "./unknown-operations.ts";

export interface AmqpLinkOptions {
  /** Null where nobody is consumed from. */
  readonly amqpUrl: string | null;
  readonly queue: string;
  readonly kind: "job" | "operation";
  readonly ackMode: AckMode;
  readonly concurrency: number;
  readonly prefetch: number;
  readonly deadLetters: Partial<DeadLetters>;
  /** As LEADHAND_AMQP_QUEUES says here. */
  readonly queues: QueueMap;
  /** Queues that run one task at a time. */
  readonly serial: ReadonlySet<string>;
  readonly patience: Patience;
  readonly jobs: readonly JobDefinition[];
  /** Takes tasks in another way than by a broker's messages. */
  readonly claim?: (parts: ClaimLoopParts) => Promise<void>;
}

export function amqpLink(options: AmqpLinkOptions): LinkKind {
  const most = options.serial.has(options.queue) ? { concurrencyMax: 1 } : {};
  return { ping: "rest", silenceMs: 45_000, ...most, open: (wires) => opened(wires, options) };
}

function opened(wires: LinkWires, options: AmqpLinkOptions): RequestLink {
  const { api, log, signal } = wires;
  const { queue, patience } = options;
  let worker = "";
  let broker: Promise<BrokerLink> | null = null;
  const byName = new Map(options.jobs.map((job) => [job.name, job]));
  const [drained, silenced] = [new AbortController(), new AbortController()];
  const goingBack = new Set<Promise<void>>();
  const told = orders();
  const unknown = unknownJobs({ api, log, queue, jobs: byName });
  const checkQueue = onwardQueues({ queues: options.queues, queue, kind: options.kind, log });
  const isKnownElsewhere = unknownOperations({ api, log, queue, worker: () => worker });
  const kin = parents({ api, log, signal: silenced.signal });
  const sendEnd = settleBatch({
    ...{ api, worker: () => worker },
    async retryDelayMs(task, delayMs) {
      // Whoever asks for no delay would be asked again at once, and for ever; not by a worker that ends.
      const before = await askedBefore(api, task);
      const leastMs = signal.aborted ? 0 : laterMsMin;
      return Math.max(leastMs, growingDelayMs(Math.max(leastMs, delayMs), before, patience.retryLaterCapMs));
    },
  });

  function connected(): Promise<BrokerLink> {
    const { amqpUrl: url, deadLetters, serial } = options;
    if (url === null) throw new TypeError(noBroker);
    const { reconnectMs } = patience;
    broker ??= brokerLink({ url, log, name: `leadhand worker of ${queue}`, deadLetters, serial, reconnectMs });
    return broker;
  }

  async function claim(parts: ClaimLoopParts): Promise<void> {
    const { ackMode, kind, prefetch } = options;
    const about = { ...parts, broker: await connected(), log, queue, orders: told };
    if (signal.aborted) return;
    const operations = { parents: kin, jobs: byName, prefetch, patience, checkQueue, isKnownElsewhere };
    if (kind === "operation") return operationLoop({ ...about, ...operations });
    const isSerial = options.serial.has(queue);
    const ends = { drained: drained.signal, goingBack };
    await taskLoop({ ...about, ackMode, prefetch, adopt: unknown.adopt, isSerial, ...ends });
  }

  return {
    async register(words, jobs) {
      const registered = await register({ api, log, signal }, { ...words, queues: [queue] }, jobs, "amqp");
      worker = registered.id;
      // Nobody has told this one anything.
      told.heed({ type: "resume", until: null });
      return registered;
    },
    claim: options.claim ?? claim,
    heed: told.heed,
    sendEnd: () => sendEnd,
    mayRun: (task) => mayRun(api, task),
    checkQueue,
    leaseEveryMs: (task) => leaseEveryMs(task, patience.leaseBeatMs),
    unknown: ({ job_name: name }) => unknown.definition(name, () => worker),
    letGo: (task, within) => letGo(api, task, within),
    signOff: (id, how) => api.request("DELETE", `/workers/${id}`, how),
    async end() {
      drained.abort();
      await kin.flush();
      silenced.abort();
      await nextTurn();
      await unlessAborted(AbortSignal.timeout(goingBackMs), Promise.all(goingBack)).catch(() => {});
      // What went wrong with it has been told, and must not keep the worker from ending.
      await broker?.then((link) => link.close()).catch((error: unknown) => log.debug(wordsOf(error)));
    },
  };
}

export const noBroker = 'The link "amqp" needs a broker: give `amqpUrl`, or set LEADHAND_AMQP_URL';

/** Asked once the task is this worker's: a parent that was cancelled meanwhile takes it along. */
async function mayRun(api: SteadyApi, { id, parent_id: parent = null }: ClaimedTask): Promise<boolean> {
  if (parent === null) return true;
  try {
    const { body } = await api.request<{ status: string }>("GET", `/tasks/${parent}`, { tries: 1 });
    if (body.status !== "cancelled") return true;
  } catch {
    // Whoever cannot be asked is taken for a yes; the server cancels children by itself too.
    return true;
  }
  await api.request("POST", `/tasks/${id}/cancel`, { body: { reason: "parent_cancelled" }, tries: 3 }).catch(() => {});
  return false;
}

/** First back into its queue; where even that is refused, failed, so that nobody waits for it. */
async function letGo(api: SteadyApi, { id, attempt }: ClaimedTask, signal: AbortSignal): Promise<void> {
  const how = { tries: 3, signal };
  const soon = AbortSignal.any([signal, AbortSignal.timeout(releaseMs)]);
  try {
    const body = { attempt, reason: "shutdown" };
    await api.request("POST", `/tasks/${id}/release`, { ...how, body, signal: soon });
  } catch {
    const error = "The worker was asked to end while the task was running";
    const body = { status: "failed", error, error_code: "WorkerShutdown", attempt };
    await api.request("PATCH", `/tasks/${id}`, { ...how, body });
  }
}

const laterMsMin = 1_000;
/** A broker that is away is not waited for: the server tells of those tasks again. */
const goingBackMs = 1_000;
/** One that is not answered must not take the time of what is told in its place. */
const releaseMs = 2_000;
