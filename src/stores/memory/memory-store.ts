// The reference store: everything in this process, gone with it. The other stores must answer as it does, so it asks
// core/ for every rule and takes no short cuts. Each call runs to its end before the next begins, which makes it atomic.

import type { Store } from "../../ports/store.ts";
import { amend } from "./amend.ts";
import { append } from "./append.ts";
import { beat } from "./beat.ts";
import { exchange } from "./exchange.ts";
import { find } from "./find.ts";
import { emptyMemory } from "./memory.ts";
import { confirm } from "./messages.ts";
import { promote } from "./promote.ts";
import { prune } from "./prune.ts";
import { pulse } from "./pulse.ts";
import { read } from "./read.ts";
import { results } from "./results.ts";
import { statistics } from "./statistics.ts";
import { submit } from "./submit.ts";

/**
 * A store that keeps everything in this process; what it answers is what every other store has to answer.
 *
 * @example
 * ```ts
 * import { memoryStore } from "leadhand/testing";
 *
 * const store = memoryStore();
 * console.log((await store.start()).kind);
 * await store.stop();
 * ```
 */
export function memoryStore(options: { readonly secret?: string } = {}): Store {
  const memory = emptyMemory();
  return {
    start: async () => ({ kind: "memory", secret: options.secret ?? "memory", width: 1, shared: false }),
    stop: async () => {},
    submit: async (calls) => submit(memory, calls),
    exchange: async (writes, demands, now) => exchange(memory, writes, demands, now),
    amend: async (scope, decide) => amend(memory, scope, decide),
    append: async (lines) => append(memory, lines),
    beat: async (beats) => beat(memory, beats),
    pulse: async (request) => pulse(memory, request),
    confirm: async (messages, at) => confirm(memory, messages, at),
    promote: async (now, limit) => promote(memory, now, limit),
    prune: async (slice) => prune(memory, slice),
    find: async (kind, query) => find(memory, kind, query),
    read: async (kind, query) => read(memory, kind, query),
    results: results(memory),
    statistics: statistics(memory),
  };
}
