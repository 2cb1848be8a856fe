// The same store; how long each kind of call to it takes is noted, with the wait for a connection or for the thread that
// reads, as whoever asks feels it.

import type { Store } from "../ports/store.ts";
import { type CallSummary, type CallTimes, callTimes } from "./call-times.ts";

export interface TimedStore {
  readonly store: Store;
  /** By name. */
  times(): ReadonlyMap<string, CallSummary>;
}

/** `stopwatch` tells milliseconds and parts of them, since some time. */
export function timedStore(store: Store, stopwatch: () => number): TimedStore {
  const byName = new Map<string, CallTimes>();

  function timesOf(name: string): CallTimes {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const times = callTimes();
    byName.set(name, times);
    return times;
  }

  async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const from = stopwatch();
    try {
      return await work();
    } finally {
      timesOf(name).add(stopwatch() - from);
    }
  }

  const { results } = store;
  return {
    store: {
      ...store,
      submit: (calls) => timed("submit", () => store.submit(calls)),
      exchange: (writes, demands, now) => timed("exchange", () => store.exchange(writes, demands, now)),
      amend: (scope, decide) => timed("amend", () => store.amend(scope, decide)),
      append: (lines) => timed("append", () => store.append(lines)),
      beat: (beats) => timed("beat", () => store.beat(beats)),
      pulse: (request) => timed("pulse", () => store.pulse(request)),
      confirm: (messages, at) => timed("confirm", () => store.confirm(messages, at)),
      promote: (now, limit) => timed("promote", () => store.promote(now, limit)),
      prune: (slice) => timed("prune", () => store.prune(slice)),
      find: (kind, query) => timed(`find ${kind}`, () => store.find(kind, query)),
      read: (kind, query) => timed(`read ${kind}`, () => store.read(kind, query)),
      results: {
        get: (key, now) => timed("results get", () => results.get(key, now)),
        begin: (key, now, until) => timed("results begin", () => results.begin(key, now, until)),
        put: (key, result, at, expiresAt) => timed("results put", () => results.put(key, result, at, expiresAt)),
        trim: (now, bytesMax) => timed("results trim", () => results.trim(now, bytesMax)),
      },
    },
    times: () => new Map([...byName].map(([name, times]) => [name, times.summary()])),
  };
}
