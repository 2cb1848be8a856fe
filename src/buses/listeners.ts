// Who on this server listens to what. Shared by every bus: listeners here are always served directly, whatever happens
// to the wire.

import type { Topic } from "../ports/bus.ts";
import type { Log } from "../ports/log.ts";

type Listener = (message: string) => void;

export interface Listeners {
  /** Returns what ends the subscription. */
  add(topic: Topic, listener: Listener): () => void;
  has(topic: Topic): boolean;
  topics(): Iterable<Topic>;
  /** Calls the listeners of the topic now. */
  deliver(topic: Topic, message: string): void;
  /** Calls them when the code that is running has returned. */
  deliverLater(topic: Topic, message: string): void;
  /** From now on nobody is called. */
  close(): void;
}

/**
 * A listener that fails is a bug: it is logged and the others are served, or, without a log, it ends the process.
 * `onFirst` hears of each topic that nobody here listened to before.
 */
export function listeners(log: Log | null, onFirst: (topic: Topic) => void = () => undefined): Listeners {
  // Each subscription is an object of its own, so that one function may be subscribed twice.
  const byTopic = new Map<Topic, Set<{ readonly call: Listener }>>();
  let closed = false;
  let waiting: { readonly topic: Topic; readonly message: string }[] = [];

  function deliver(topic: Topic, message: string): void {
    const entries = byTopic.get(topic);
    if (entries === undefined) return;
    // A copy: whoever subscribes while the message is being delivered has not subscribed before it was sent.
    for (const entry of [...entries]) {
      if (entries.has(entry)) callSafely(entry.call, topic, message);
    }
  }

  function callSafely(call: Listener, topic: Topic, message: string): void {
    try {
      call(message);
    } catch (error) {
      if (log === null) queueMicrotask(() => raise(error));
      else log.error("A listener of the bus failed", { topic, error });
    }
  }

  function deliverWaiting(): void {
    const batch = waiting;
    waiting = [];
    for (const { topic, message } of batch) deliver(topic, message);
  }

  return {
    add(topic, listener) {
      if (closed) return () => undefined;
      const entry = { call: listener };
      const entries = byTopic.get(topic);
      if (entries === undefined) {
        byTopic.set(topic, new Set([entry]));
        onFirst(topic);
      } else {
        entries.add(entry);
      }
      return () => {
        const current = byTopic.get(topic);
        if (current?.delete(entry) && current.size === 0) byTopic.delete(topic);
      };
    },
    has: (topic) => byTopic.has(topic),
    topics: () => byTopic.keys(),
    deliver,
    deliverLater(topic, message) {
      // Most topics have no listener here, and this is called for every move of every task.
      if (!byTopic.has(topic)) return;
      if (waiting.length === 0) queueMicrotask(deliverWaiting);
      waiting.push({ topic, message });
    },
    close() {
      closed = true;
      byTopic.clear();
      waiting = [];
    },
  };
}

function raise(error: unknown): never {
  throw error;
}
