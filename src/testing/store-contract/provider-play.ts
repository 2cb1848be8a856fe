// Random play with providers, their results and questions: whatever happens, a store answers as the memory store does.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Store } from "../../ports/store.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { aProvider, providerId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import type { MakeStore } from "./stage.ts";

interface Step {
  readonly do: "write" | "leave" | "put" | "get" | "begin" | "trim" | "list" | "wait";
  readonly provider: number;
  readonly hash: number;
  readonly n: number;
}

const step: fc.Arbitrary<Step> = fc.record(
  {
    do: fc.constantFrom("write", "leave", "put", "put", "get", "get", "begin", "begin", "trim", "list", "wait"),
    provider: fc.nat(2),
    hash: fc.nat(2),
    n: fc.nat(30),
  },
  { noNullPrototype: true },
);

const historiesEach = 15;

export function providerPlay(makeStore: MakeStore): void {
  test("whatever is done with providers, the store answers as the one in memory does", { timeout: 60_000 }, () => {
    const histories = fc.array(step, { minLength: 1, maxLength: 80, size: "max" });
    const property = fc.asyncProperty(fc.noBias(histories), (steps) => compare(makeStore, steps));
    return fc.assert(property, { numRuns: historiesEach });
  });
}

async function compare(makeStore: MakeStore, steps: readonly Step[]): Promise<void> {
  const { store, dispose } = await makeStore();
  const model = memoryStore();
  let now = worldStart;
  try {
    await store.start();
    for (const [nth, each] of steps.entries()) {
      if (each.do === "wait") now += each.n;
      const [got, expected] = [await perform(store, each, now), await perform(model, each, now)];
      assert.deepStrictEqual(got, expected, `step ${nth}: ${JSON.stringify(each)}`);
    }
  } finally {
    await store.stop();
    await dispose();
  }
}

async function perform(store: Store, { do: what, provider, hash, n }: Step, now: number): Promise<unknown> {
  const key = { provider: providerId(provider), hash: `h${hash}` };
  switch (what) {
    case "write": {
      const about = { id: key.provider, name: `lab:files:${provider}`, worker: workerId(n % 3), createdAt: now };
      const record = aProvider({ ...about, contentType: `a/${n}` });
      return store.amend({ providers: [record.name] }, ({ providers }) => {
        return { answer: [...providers.values()], providers: [record] };
      });
    }
    case "leave":
      return store.amend({ providersOf: [workerId(n % 3)] }, ({ providers }) => {
        const ids = [...providers.values()].map(({ id }) => id).sort();
        return { answer: ids, providersGone: ids };
      });
    case "put":
      return store.results.put(key, { contentType: `a/${n}`, bytes: new Uint8Array(n).fill(n) }, now, now + n);
    case "get": {
      const found = await store.results.get(key, now);
      return found === null ? null : [found.contentType, ...found.bytes];
    }
    case "begin":
      return store.results.begin(key, now, now + n);
    case "trim":
      return store.results.trim(now, 2 * n);
    case "list":
      return store.read("providers", { rooms: n % 2 === 0 ? null : ["lab"], limit: 5, offset: hash });
    case "wait":
      return null;
  }
}
