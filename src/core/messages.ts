// What queues of a message broker are told, and when they are told again. A message is only a hint: the task it names, or
// the parent it counts on, is in the database, and that alone decides.

/** Work without a task of its own, counted on the task that sent it. */
export interface OperationMessage {
  readonly queue: string;
  readonly operation: string;
  /** JSON text. */
  readonly payload: string;
}

/** By then the server that wrote something has told of it, or does so no more. */
export const leftoverMs = 5_000;
/** By then whoever leads has told of it too, or cannot: its broker may be away from it alone. As often others look. */
export const strandedMs = 15_000;

/** Who looks for what has been left for so long. */
export function lookerOf(leftMs: number): "leader" | "beside" {
  return leftMs < strandedMs ? "leader" : "beside";
}

/**
 * Up to here, of so many messages that may wait in a queue, a server tells it at once of what it has just written. The
 * rest of the room is for what was left over, in its order: in a rush, whoever has waited longest is not overtaken for ever.
 */
export function atOnceMax(unconsumedMax: number): number {
  return Math.ceil(unconsumedMax / 2);
}

/** Names a task. */
export function taskMessage(id: string): string {
  return `{"job_id":"${id}"}`;
}

/** The index is the message's own among its parent's: a message that is counted twice counts once. */
export interface OperationParts {
  readonly operation: string;
  readonly parent?: string | null | undefined;
  readonly index?: number | null | undefined;
  /** JSON text of an object. */
  readonly payload: string;
}

export function operationMessage({ operation, parent, index, payload }: OperationParts): string {
  const whose = parent == null ? "" : `"job_id":${JSON.stringify(parent)},`;
  const which = index == null ? "" : `"index":${index},`;
  return `{"operation":${JSON.stringify(operation)},${whose}${which}"payload":${payload}}`;
}

/** Of a message that counts on its parent by an index; null where it has none. */
export function indexIn(message: string): number | null {
  const { index = null } = JSON.parse(message) as { readonly index?: number | null };
  return index;
}

/**
 * How many more a queue may be told of, by what waits in it and what was sent since that was known, where so many servers
 * share what is free.
 */
export function roomIn(waiting: number, sent: number, most: number, sharers = 1): number {
  return Math.max(0, Math.floor((most - waiting) / sharers) - sent);
}

/** Bodies in groups of at most so many, and of about so many characters at most. */
export function bundled(
  bodies: readonly string[],
  countMax: number,
  lengthMax: number,
): readonly (readonly string[])[] {
  const bundles: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const body of bodies) {
    const last = bundles.at(-1);
    if (last === undefined || last.length >= countMax || length + body.length > lengthMax) {
      bundles.push([body]);
      length = body.length;
    } else {
      last.push(body);
      length += body.length;
    }
  }
  return bundles;
}

/** In a coordinator's log, with the queue: messages of it were handed on to that one, or are about to be. */
export const handedOnEvent = "child.handed_on";

/** What is known of messages that the broker has confirmed and nobody has counted. */
export interface SentMessages {
  readonly sentAt: number;
  /** How often they were told again. */
  readonly times: number;
  /** When their coordinator last gave a sign of life. */
  readonly activeAt: number;
  /** Since when whoever looks would have heard one, be it late. */
  readonly heardSince: number;
}

export interface LossPatience {
  readonly silentMs: number;
  /** So often they are told again soon, and then seldom: a person has to look. */
  readonly timesMax: number;
}

/** A consumer gives a sign of life each minute: of one that has work, so much without any is enough to know. */
const signsMs = 120_000;
/** How often they are told again that were told as often as that is done soon. */
const seldomMs = 3_600_000;

/**
 * When they may be taken for lost: the coordinator is silent for so long by then, somebody was there to hear it, and they
 * were not told just now, however often that was done.
 */
export function lostFrom({ sentAt, times, activeAt, heardSince }: SentMessages, patience: LossPatience): number {
  const { silentMs, timesMax } = patience;
  const restMs = times < timesMax ? silentMs : seldomMs;
  return Math.max(sentAt + restMs, activeAt + silentMs, heardSince + Math.min(silentMs, signsMs));
}

/** That time has come, and all queues that may hold them were seen empty since they were sent and it could speak. */
export function areLost(sent: SentMessages, emptyAt: number, now: number, patience: LossPatience): boolean {
  const { sentAt, activeAt, heardSince } = sent;
  return lostFrom(sent, patience) <= now && emptyAt > Math.max(sentAt, activeAt, heardSince);
}
