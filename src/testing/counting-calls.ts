// How often each method of a store was called.

import type { Store } from "../ports/store.ts";

export interface CountingCalls {
  around(store: Store): Store;
  reset(): void;
  counts(): ReadonlyMap<string, number>;
}

export function countingCalls(): CountingCalls {
  const counts = new Map<string, number>();
  return {
    around: (store) =>
      new Proxy(store, {
        get(target, name, receiver) {
          const member: unknown = Reflect.get(target, name, receiver);
          if (typeof member !== "function") return member;
          return (...words: unknown[]) => {
            counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
            return Reflect.apply(member, target, words);
          };
        },
      }),
    reset: () => counts.clear(),
    counts: () => new Map(counts),
  };
}
