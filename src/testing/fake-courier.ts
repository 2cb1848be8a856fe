// A courier to a broker in memory, which loses, doubles and delays messages when the test says so.

import type { Courier } from "../ports/courier.ts";

/**
 * What becomes of a message: `carry` it; `lose` it although it was confirmed; `refuse` it, so that nobody has it and it
 * is not confirmed; `unheard`, the broker has it but nobody hears so; `double` it.
 */
export type Fate = "carry" | "lose" | "refuse" | "unheard" | "double";

export interface FakeCourier extends Courier {
  /** What waits in a queue, oldest first. */
  waiting(queue: string): readonly string[];
  /** Takes the oldest out, as a consumer does; undefined where none waits. */
  take(queue: string): string | undefined;
  /** Everything that was ever published and reached a queue, in order, with doubles. */
  readonly carried: readonly { readonly queue: string; readonly body: string }[];
  /** The next so many messages have this fate; without a number all from now on. */
  fate(fate: Fate, count?: number): void;
  /** From now on `publish` does not answer until `go`; the messages are in their queues before. */
  hold(): void;
  go(): void;
  /** Everything in the queue is gone. */
  purge(queue: string): void;
  /** So many consume every queue from now on; 0 at first. */
  consumers(count: number): void;
  down(): void;
  /** Tells whoever wants to hear. */
  up(): void;
}

export interface FakeCourierOptions {
  /** The queues it knows; without them any. */
  readonly queues?: readonly string[];
}

export function fakeCourier({ queues }: FakeCourierOptions = {}): FakeCourier {
  const lines = new Map<string, string[]>();
  const carried: { queue: string; body: string }[] = [];
  const listeners: (() => void)[] = [];
  const fates: { fate: Fate; left: number }[] = [];
  let reachable = true;
  let [consumers, downs] = [0, 0];
  let state: "new" | "running" | "stopped" = "new";
  let held: PromiseWithResolvers<void> | null = null;

  const isUp = () => state === "running" && reachable;
  const knows = (queue: string) => queues === undefined || queues.includes(queue);

  function lineOf(queue: string): string[] {
    const line = lines.get(queue) ?? [];
    lines.set(queue, line);
    return line;
  }

  function nextFate(): Fate {
    const next = fates[0];
    if (next === undefined) return "carry";
    next.left -= 1;
    if (next.left <= 0) fates.shift();
    return next.fate;
  }

  function send(queue: string, body: string): boolean {
    const fate = nextFate();
    const copies = { carry: 1, unheard: 1, double: 2, lose: 0, refuse: 0 }[fate];
    for (let copy = 0; copy < copies; copy += 1) {
      lineOf(queue).push(body);
      carried.push({ queue, body });
    }
    return fate !== "refuse" && fate !== "unheard";
  }

  function tell(): void {
    if (isUp()) for (const listener of listeners) listener();
  }

  return {
    carried,
    isUp,
    async start() {
      state = "running";
      tell();
    },
    isSetAside: () => false,
    onUp: (listener) => void listeners.push(listener),
    async publish(queue, bodies) {
      if (!isUp() || !knows(queue)) return bodies.map(() => false);
      const answers = bodies.map((body) => send(queue, body));
      await held?.promise;
      return answers;
    },
    // There is no clock here: the first time, the second and so on.
    awaySince: () => (isUp() ? null : downs),
    look: async (queue) => (isUp() && knows(queue) ? { waiting: lineOf(queue).length, consumers } : null),
    consumers(count) {
      consumers = count;
    },
    depth: async (queue) => (isUp() && knows(queue) ? lineOf(queue).length : null),
    async stop() {
      state = "stopped";
      held?.resolve();
    },
    waiting: (queue) => [...lineOf(queue)],
    take: (queue) => lineOf(queue).shift(),
    fate: (fate, count = Number.POSITIVE_INFINITY) => void fates.push({ fate, left: count }),
    hold() {
      held ??= Promise.withResolvers();
    },
    go() {
      held?.resolve();
      held = null;
    },
    purge: (queue) => void lines.delete(queue),
    down() {
      reachable = false;
      downs += 1;
    },
    up() {
      reachable = true;
      tell();
    },
  };
}
