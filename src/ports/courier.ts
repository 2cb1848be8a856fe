// How consumers behind a message broker hear of tasks. The broker is never the truth: whatever it loses is told again,
// whatever it tells twice is refused by the claim.

/** Sends messages to queues, and knows how full these are. None of these throws but `start`. */
export interface Courier {
  /** Does not wait for the broker: a server without one starts, and says so. */
  start(): Promise<void>;
  /** Whether the broker can be reached now. */
  isUp(): boolean;
  /** Since when it cannot; null while it can. */
  awaySince(): number | null;
  /** Hears each time that the broker is there again. */
  onUp(listener: () => void): void;
  /** Answers for each whether the broker has confirmed it. Bodies are JSON texts. */
  publish(queue: string, bodies: readonly string[]): Promise<readonly boolean[]>;
  /** It was not confirmed because the broker takes others and not this one; it is tried again after a while. */
  isSetAside(queue: string, body: string): boolean;
  /** How many messages wait in the queue, delivered and unacknowledged ones not counted; null where nobody can tell. */
  depth(queue: string): Promise<number | null>;
  /** The same, and how many consume it; also of the queue of dead letters. */
  look(queue: string): Promise<QueueLook | null>;
  /** Finishes what is under way. May be called twice. */
  stop(): Promise<void>;
}

export interface QueueLook {
  readonly waiting: number;
  readonly consumers: number;
}

/** What a queue of the broker carries: ids of tasks, or operations without a task of their own. */
export type QueueKind = "job" | "operation";
