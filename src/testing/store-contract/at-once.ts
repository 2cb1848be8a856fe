// Stores that are asked many things at once: those of two servers where there can be a second, else one twice.

import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { type MakeStore, type Stage, stageOn } from "./stage.ts";

export type ExampleAtOnce = (
  sentence: string,
  body: (stores: readonly [Store, Store], stage: Stage) => Promise<void>,
) => void;

export function atOnceOn(makeStore: MakeStore): ExampleAtOnce {
  return (sentence, body) => {
    test(sentence, { timeout: 120_000 }, async () => {
      const { store, second, dispose } = await makeStore();
      const stores = [store];
      try {
        await store.start();
        if (second !== undefined) stores.push(await second());
        if (stores[1] !== undefined) await stores[1].start();
        await body([store, stores[1] ?? store], stageOn(store));
      } finally {
        for (const running of stores) await running.stop();
        await dispose();
      }
    });
  };
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

export function storeOf(stores: readonly [Store, Store], n: number): Store {
  return stores[n % 2] as Store;
}
