// Tasks by messages that name them: named, claimed, run. The database has the last word: what is missing, taken or
// cancelled by then is passed over in silence, so a message that comes twice does no harm.

import { setTimeout as pause } from "node:timers/promises";
import { taskMessage } from "../../../core/messages.ts";
import { readTaskMessage } from "../../../protocol/amqp/messages.ts";
import type { BrokerLink } from "../../amqp/broker-link.ts";
import type { Delivery, Verdict } from "../../amqp/consuming.ts";
import { acksHaveLeft } from "../../amqp/gathered-acks.ts";
import { wordsOf } from "../../failure.ts";
import { type ClaimLoopParts, workLoop } from "../claim-loop.ts";
import type { ClaimedTask } from "../claimed-task.ts";
import { aborted, unlessAborted } from "../cut-short.ts";
import type { WorkerLog } from "../options.ts";
import { brakes } from "./brakes.ts";
import { claimByIds } from "./claim-by-ids.ts";
import { type MessageLine, messageLine, type WaitingMessage } from "./message-line.ts";
import type { Orders } from "./orders.ts";
import { type Refusals, refusals, type Turn } from "./refusals.ts";
import { seen } from "./seen-task.ts";

/**
 * When a message is acknowledged: once its task is claimed, as soon as it is known to name one, or when the task has
 * ended. A message that comes again is harmless in each of them.
 */
export type AckMode = "afterClaim" | "preAck" | "afterJob";

export interface TaskLoopParts extends ClaimLoopParts {
  readonly broker: BrokerLink;
  readonly log: WorkerLog;
  readonly queue: string;
  readonly ackMode: AckMode;
  readonly orders: Orders;
  /** How many messages the broker hands out before their verdicts, beside one for each task that may run. */
  readonly prefetch: number;
  /** One consumer at a time has the queue: what it cannot run now nobody else may. */
  readonly isSerial: boolean;
  /** Aborts when nothing is in hand, or nobody has time for it any more. */
  readonly drained: AbortSignal;
  /** What is on its way back into the queue, also once the loop has ended: the connection is needed for it. */
  readonly goingBack: Set<Promise<void>>;
  /** Whether this worker has now been made fit for a task that it was refused. */
  adopt(task: ClaimedTask, worker: string, signal: AbortSignal): Promise<boolean>;
}

/** How long a message that is on its way is waited for at the end. */
const publishMsMax = 500;
/** Nobody waits longer behind a busy worker while another is idle. */
const holdMs = 1_000;
/** Well below any time after which a broker takes a consumer for dead. */
const serialHoldMs = 20_000;
const limitMax = 100;

/** Resolves when the signal aborts; throws what cannot be mended by waiting. */
export async function taskLoop(parts: TaskLoopParts): Promise<void> {
  const { broker, queue, isSerial, hands, signal, goingBack } = parts;
  const line = messageLine({
    holdMs: isSerial ? serialHoldMs : holdMs,
    // Where others may have it, nothing more is asked for until a hand is free.
    onHeldUp: () => !isSerial && void brake.hold("loop"),
    onStranded: (id) => {
      const told = tellAgain(parts, id).finally(() => goingBack.delete(told));
      goingBack.add(told);
    },
  });
  // A message that is kept until its task has ended takes one place all the while.
  const waitingMax = parts.ackMode === "afterJob" ? 0 : parts.prefetch;
  const messagesMax = (): number => hands.concurrency() + waitingMax;
  const brake = brakes(broker.consume(queue, messagesMax, (delivery) => enter(parts, line, delivery)));
  let claiming: Promise<unknown> = Promise.resolve();
  // Whoever leaves a serial queue gives it to the next consumer, and with it the next task.
  async function mayLeave(): Promise<void> {
    if (!isSerial) return;
    await claiming;
    await hands.empty();
  }
  const { orders } = parts;
  // The only hand of a serial queue stays the only one, and pausing gave the queue to somebody else.
  if (!isSerial) orders.onResize(() => void brake.hold("size").then(() => brake.letGo("size")));
  orders.follow((isPaused) => {
    if (!isPaused) return brake.letGo("orders");
    void mayLeave().then(() => orders.isPaused() && void brake.hold("orders"));
  });
  const refused = refusals();
  const leave = (): void => {
    // In this order none of those that go back comes here again.
    void brake.hold("end");
    line.close();
  };
  const stop = (): void => {
    line.stop();
    void Promise.race([mayLeave(), aborted(parts.drained)]).then(leave);
  };
  signal.addEventListener("abort", stop, { once: true });
  await workLoop(parts, async (worker) => {
    brake.letGo("loop");
    const taken = await line.take(Math.min(limitMax, hands.count()));
    if (taken.length === 0) return;
    const turn = claim(parts, worker, taken, line, refused);
    claiming = turn.catch(() => {});
    const restMs = refused.restMs(await turn);
    if (restMs === 0) return;
    // Meanwhile whatever waits is in the queue: another worker may be allowed what this one is not.
    await unlessAborted(signal, brake.hold("loop"));
    line.sendBackAll();
    await pause(restMs, undefined, { signal }).catch(() => {});
  });
  await Promise.all(goingBack);
}

/** Never rejects: the server tells of a task that nobody takes after a while too. */
async function tellAgain({ broker, queue, log }: TaskLoopParts, id: string): Promise<void> {
  await broker
    .publish(queue, taskMessage(id))
    .catch((error: unknown) => log.warn("a message did not go back", { task: id, queue, why: wordsOf(error) }));
}

async function enter({ log, queue }: TaskLoopParts, line: MessageLine, { body }: Delivery): Promise<Verdict> {
  const read = readTaskMessage(body);
  if (read.ok) return line.wait(read.message);
  log.warn("a message was not understood; it is among the dead letters", { queue, why: read.fault });
  return "deadLetter";
}

async function claim(
  parts: TaskLoopParts,
  worker: string,
  messages: readonly WaitingMessage[],
  line: MessageLine,
  { mayAsk }: Pick<Refusals, "mayAsk">,
): Promise<Turn> {
  // It may be a copy; or the task has become somebody else's to run, and its handler goes on here.
  const here = new Set(messages.map(({ id }) => id).filter(parts.hands.has));
  const asked = messages.filter(({ id }) => mayAsk(id));
  if (parts.ackMode === "preAck") for (const { judge } of asked) judge("ack");
  try {
    const { claimed, waiting } = await claimThese(parts, worker, asked);
    const left = asked.filter(({ id }) => !claimed.has(id));
    const saidOf = (id: string): Said => (here.has(id) ? "in hand" : (waiting ?? "nothing"));
    const verdicts = await Promise.all(left.map(({ id }) => leftOut(parts, worker, id, saidOf(id))));
    for (const [nth, { judge }] of left.entries()) if (verdicts[nth] === "ack") judge("ack");
    const passed = messages.filter((message) => !asked.includes(message));
    const refused = [...passed, ...left.filter((_, nth) => verdicts[nth] === "requeue")];
    await Promise.all(refused.map((message) => toTheEnd(parts, message, line)));
    return { claimed: claimed.size, asked: asked.map(({ id }) => id), refused: refused.map(({ id }) => id) };
  } catch (error) {
    // What became of them is not known, or the worker has to register again: they are asked about once more.
    line.putBack(messages.filter(({ id }) => here.has(id) || !parts.hands.has(id)));
    throw error;
  }
}

/** At the front of its queue it would stand in the way of tasks that this worker may have. */
async function toTheEnd(
  { broker, queue, ackMode, signal }: TaskLoopParts,
  message: WaitingMessage,
  line: MessageLine,
): Promise<void> {
  try {
    // A broker that is well has it in a moment; given back as well, it would be there twice.
    await unlessAborted(signal, broker.publish(queue, taskMessage(message.id)), publishMsMax);
    message.judge("ack");
  } catch {
    // What was acknowledged at once is nowhere but here.
    if (ackMode === "preAck") line.putBack([message]);
    else message.judge("requeue");
  }
}

async function claimThese(
  parts: TaskLoopParts,
  worker: string,
  messages: readonly WaitingMessage[],
): Promise<{ readonly claimed: ReadonlySet<string>; readonly waiting: ReadonlySet<string> | null }> {
  const { tasks, waiting } = await claimByIds(
    parts,
    worker,
    messages.map(({ id }) => id),
  );
  const claimed = new Set(tasks.map(({ id }) => id));
  if (parts.ackMode === "afterClaim" && claimed.size > 0) {
    for (const { id, judge } of messages) if (claimed.has(id)) judge("ack");
    // A handler may block the whole program for longer than the broker waits.
    await acksHaveLeft();
  }
  for (const task of tasks) {
    const { done } = parts.take(task);
    const ack = (): void => {
      for (const { id, judge } of messages) if (id === task.id) judge("ack");
    };
    if (parts.ackMode === "afterJob") done.then(ack, ack);
  }
  return { claimed, waiting: waiting === undefined ? null : new Set(waiting) };
}

/** Which tasks still wait, as the server said; it may have been unable to, and is not asked of what is in hand here. */
type Said = ReadonlySet<string> | "nothing" | "in hand";

/** What to do with the message of a task that was not given to this worker. */
async function leftOut(parts: TaskLoopParts, worker: string, id: string, said: Said): Promise<Verdict> {
  if (typeof said !== "string" && !said.has(id)) return "ack";
  const task = await seen(parts, id);
  // It may be of a room that this worker knows nothing of: the message is for somebody else.
  if (task === null && said !== "in hand") return "requeue";
  // It may wait: were its message gone, nobody would hear of it before its queue runs empty.
  if (task === "unknown") return "requeue";
  const isWaiting = task !== null && task.status === "pending" && (task.run_at ?? null) === null;
  if (!isWaiting) return "ack";
  await parts.adopt(task, worker, parts.signal);
  return "requeue";
}
