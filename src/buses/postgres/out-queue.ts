// Messages that wait for the next bundle. Bounded: when the wire is slower than the publishers the oldest go, because
// the newest says more about what is.

export interface OutQueueLimits {
  readonly messagesMax: number;
  /** Characters of topics and messages. */
  readonly sizeMax: number;
  readonly messageSizeMax: number;
}

export const defaultOutQueueLimits: OutQueueLimits = {
  messagesMax: 50_000,
  sizeMax: 8 * 1_048_576,
  messageSizeMax: 65_536,
};

export interface OutQueue {
  add(topic: string, message: string): void;
  /** The oldest messages, in order, about as many as `size` characters. */
  take(size: number): [topic: string, message: string][];
  readonly length: number;
  /** Messages that never left: too large, or pushed out by newer ones. */
  readonly dropped: number;
}

export function outQueue(limits: OutQueueLimits = defaultOutQueueLimits): OutQueue {
  const waiting = new Map<string, [topic: string, message: string]>();
  let size = 0;
  let dropped = 0;

  function remove(key: string, entry: readonly [string, string]): void {
    waiting.delete(key);
    size -= sizeOf(entry);
  }

  function dropOldest(): void {
    for (const [key, entry] of waiting) {
      if (waiting.size <= limits.messagesMax && size <= limits.sizeMax) return;
      remove(key, entry);
      dropped += 1;
    }
  }

  return {
    add(topic, message) {
      const entry: [string, string] = [topic, message];
      if (sizeOf(entry) > limits.messageSizeMax) {
        dropped += 1;
        return;
      }
      const key = `${topic.length} ${topic}${message}`;
      // The same message again is one message, in the later place: the last word on a topic stays the last.
      const same = waiting.get(key);
      if (same !== undefined) remove(key, same);
      waiting.set(key, entry);
      size += sizeOf(entry);
      dropOldest();
    },
    take(sizeWanted) {
      const taken: [string, string][] = [];
      let takenSize = 0;
      for (const [key, entry] of waiting) {
        if (takenSize >= sizeWanted) break;
        takenSize += sizeOf(entry);
        remove(key, entry);
        taken.push(entry);
      }
      return taken;
    },
    get length() {
      return waiting.size;
    },
    get dropped() {
      return dropped;
    },
  };
}

function sizeOf([topic, message]: readonly [string, string]): number {
  return topic.length + message.length;
}
