import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRecord } from "../../ports/records.ts";
import type { ProviderResult } from "../../ports/result-store.ts";
import type { Amendment, Store } from "../../ports/store.ts";
import { aProvider, aWorker, providerId, workerId } from "../builders.ts";
import { worldStart as now } from "../manual-clock.ts";
import type { Example, MakeStore } from "./stage.ts";

const all = { rooms: null, limit: 100, offset: 0 };
const key = { provider: providerId(1), hash: "h" };
const later = now + 100;

export function resultOf(...bytes: number[]): ProviderResult {
  return { contentType: "text/plain", bytes: Uint8Array.from(bytes) };
}

/** Providers are written under their locks. */
async function write(store: Store, providers: readonly ProviderRecord[], more: Partial<Amendment<null>> = {}) {
  await store.amend({ providers: providers.map(({ name }) => name) }, () => ({ answer: null, providers, ...more }));
}

async function bytesOf(store: Store, hash: string, at = now): Promise<number[] | null> {
  const found = await store.results.get({ ...key, hash }, at);
  return found === null ? null : [...found.bytes];
}

export function providerExamples(example: Example, makeStore: MakeStore): void {
  recordExamples(example);
  resultExamples(example);
  questionExamples(example);

  test("of two servers that register one provider at once, the second sees what the first made", async () => {
    const { store, second, dispose } = await makeStore();
    const other = second === undefined ? store : await second();
    try {
      await store.start();
      await other.start();
      const seen = await Promise.all(
        [store, other].map(async (each, n) => {
          const { name } = aProvider();
          const { answer } = await each.amend({ providers: [name] }, ({ providers }) => {
            const found = providers.get(name);
            const provider = found ?? aProvider({ id: providerId(1 + n) });
            return { answer: found?.id ?? null, providers: [provider] };
          });
          return answer;
        }),
      );
      const { items } = await store.read("providers", all);
      assert.equal(items.length, 1);
      assert.deepEqual([...seen].sort(), [items[0]?.id, null]);
    } finally {
      await other.stop();
      await store.stop();
      await dispose();
    }
  });
}

function recordExamples(example: Example): void {
  example("a provider is found by its name and by its id, as it was written", async ({ store }) => {
    const odd = { name: 'x:a"\\{},é:\u0001 /', room: "x", schema: '{"a":[1.50]}', contentType: 'a/b; c="d e"' };
    const providers = [aProvider(), aProvider({ id: providerId(2), ...odd, owner: "Grüße '" })];
    await write(store, providers);
    for (const provider of providers) {
      assert.deepStrictEqual(await store.read("provider", { name: provider.name }), provider);
      assert.deepStrictEqual(await store.read("provider", { id: provider.id }), provider);
    }
    for (const text of ["", "lab:files", "'", "\u0000", "\ud800", providerId(9)]) {
      assert.equal(await store.read("provider", { name: text }), null);
      assert.equal(await store.read("provider", { id: text }), null);
    }
  });

  example("providers are listed newest first, those of one moment by id, of some rooms or all", async ({ store }) => {
    const rooms = ["lab", "@global", "lab", "attic"];
    const made = rooms.map((room, n) =>
      aProvider({ id: providerId(n), name: `${room}:files:${n}`, room, createdAt: now + Math.min(n, 2) }),
    );
    await write(store, made);
    const ids = async (some: string[] | null, limit = 9, offset = 0) => {
      const { items, total } = await store.read("providers", { rooms: some, limit, offset });
      return [items.map(({ id }) => made.findIndex((each) => each.id === id)), total];
    };
    assert.deepEqual(await ids(null), [[3, 2, 1, 0], 4]);
    assert.deepEqual(await ids(["lab", "@global"]), [[2, 1, 0], 3]);
    assert.deepEqual(await ids(["lab", "@global"], 1, 1), [[1], 3]);
    assert.deepEqual(await ids(["@global", "@global"], 0), [[], 1]);
    assert.deepEqual(await ids([]), [[], 0]);
  });

  example("an amendment is shown the providers it names and those of its workers, and no other", async ({ store }) => {
    const made = [1, 2, 3].map((n) =>
      aProvider({ id: providerId(n), name: `lab:files:${n}`, worker: workerId(Math.min(n, 2)) }),
    );
    await write(store, made);
    const view = async (scope: Parameters<Store["amend"]>[0]) =>
      (await store.amend(scope, ({ providers }) => ({ answer: [...providers.values()] }))).answer.map(({ id }) => id);
    assert.deepEqual(await view({}), []);
    assert.deepEqual(await view({ providers: ["lab:files:1", "lab:files:9"] }), [providerId(1)]);
    assert.deepEqual((await view({ providersOf: [workerId(2)] })).sort(), [2, 3].map(providerId));
    const both = await view({ providers: ["lab:files:2"], providersOf: [workerId(1), workerId(2)] });
    assert.deepEqual(both.sort(), [1, 2, 3].map(providerId));
  });

  example("providers go in the same step as their worker, or both stay", async ({ store, amend }) => {
    await amend({ workers: [aWorker()] });
    await write(store, [aProvider()]);
    const gone = { workers: [aWorker({ session: { removedAt: now } })], providersGone: [providerId(1)] };
    const scope = { workers: [workerId(1)], providersOf: [workerId(1)] };
    await assert.rejects(
      store.amend(scope, () => ({ answer: null, ...gone, laneLimits: [{ lane: 99, paused: true, maxRunning: null }] })),
    );
    assert.notEqual(await store.read("provider", { id: providerId(1) }), null);
    await store.amend(scope, () => ({ answer: null, ...gone }));
    assert.equal(await store.read("provider", { id: providerId(1) }), null);
    const [worker] = await store.read("workers", { ids: [workerId(1)] });
    assert.equal(worker?.session.removedAt, now);
  });

  example("no two providers have the same name", async ({ store }) => {
    await write(store, [aProvider()]);
    await assert.rejects(write(store, [aProvider({ id: providerId(2) })]));
    assert.deepStrictEqual((await store.read("providers", all)).items, [aProvider()]);
  });
}

function resultExamples(example: Example): void {
  example("bytes come back as they were put, none and any, until they expire", async ({ store }) => {
    await write(store, [aProvider()]);
    const every = Array.from({ length: 256 }, (_, n) => n);
    for (const [hash, bytes] of [
      ["none", []],
      ["nul", [0, 0]],
      ["every", every],
    ] as [string, number[]][]) {
      assert.equal(await bytesOf(store, hash), null);
      assert.equal(await store.results.put({ ...key, hash }, resultOf(...bytes), now, later), true);
      assert.deepEqual(await bytesOf(store, hash), bytes);
      assert.deepEqual(await bytesOf(store, hash, later - 1), bytes);
      assert.equal(await bytesOf(store, hash, later), null, "the instant itself is over");
    }
    const large = new Uint8Array(3_000_000).map((_, n) => n * n);
    await store.results.put(key, { contentType: 'a/b; c="d"', bytes: large }, now, later);
    const found = await store.results.get(key, now);
    assert.equal(found?.contentType, 'a/b; c="d"');
    assert.equal(Buffer.compare(found.bytes, large), 0);
  });

  example("a result put again is replaced; of an unknown provider none is kept", async ({ store }) => {
    await write(store, [aProvider()]);
    await store.results.put(key, resultOf(1), now, later);
    await store.results.put(key, { contentType: "a/b", bytes: Uint8Array.of(2) }, now + 1, later + 1);
    assert.deepEqual(await bytesOf(store, "h", later), [2]);
    assert.equal((await store.results.get(key, now))?.contentType, "a/b");
    const unknown = { provider: providerId(9), hash: "h" };
    assert.equal(await store.results.put(unknown, resultOf(1), now, later), false);
    assert.equal(await store.results.get(unknown, now), null);
  });

  example("a provider that is written anew or goes forgets what it answered and was asked", async ({ store }) => {
    const other = aProvider({ id: providerId(2), name: "lab:files:other" });
    await write(store, [aProvider(), other]);
    for (const more of [{}, { providers: [], providersGone: [providerId(1)] }]) {
      await store.results.put(key, resultOf(1), now, later);
      await store.results.put({ provider: other.id, hash: "h" }, resultOf(2), now, later);
      await store.results.begin({ ...key, hash: "asked" }, now, later);
      await write(store, [aProvider({ contentType: "text/html" })], more);
      assert.equal(await bytesOf(store, "h"), null);
      assert.notEqual(await store.results.get({ provider: other.id, hash: "h" }, now), null);
    }
    await write(store, [aProvider()]);
    assert.equal(await bytesOf(store, "h"), null, "one that is back knows nothing");
    assert.equal(await store.results.begin({ ...key, hash: "asked" }, now, later), true);
  });

  example("what has expired goes, and the oldest go until the rest fits", async ({ store }) => {
    await write(store, [aProvider()]);
    const put = (hash: string, size: number, at: number, end: number) =>
      store.results.put({ ...key, hash }, resultOf(...Array<number>(size).fill(7)), at, end);
    await put("a", 10, now + 3, now + 5);
    await put("b", 4, now + 2, later);
    await put("c", 4, now + 1, later);
    await put("d", 4, now, later);
    assert.equal(await store.results.trim(now, 22), 0);
    assert.equal(await store.results.trim(now + 5, 11), 2, "the expired one counts for nothing");
    const left = await Promise.all(["a", "b", "c", "d"].map((hash) => bytesOf(store, hash, now + 4)));
    assert.deepEqual(
      left.map((bytes) => bytes?.length ?? null),
      [null, 4, 4, null],
    );
    assert.equal(await store.results.trim(now + 5, 0), 2);
  });
}

function questionExamples(example: Example): void {
  example("one asks the provider, until it answers or the time is over", async ({ store }) => {
    await write(store, [aProvider()]);
    const begin = (at: number, hash = "h") => store.results.begin({ ...key, hash }, at, at + 30);
    assert.deepEqual([await begin(now), await begin(now), await begin(now + 29)], [true, false, false]);
    assert.equal(await begin(now, "other"), true);
    assert.deepEqual([await begin(now + 30), await begin(now + 59)], [true, false]);
    await store.results.put(key, resultOf(1), now + 40, now + 50);
    assert.equal(await begin(now + 49), false, "there is a result");
    assert.equal(await begin(now + 50), true, "there is none any more, and nobody is asking");
    assert.equal(await store.results.begin({ provider: providerId(9), hash: "h" }, now, later), false);
  });

  example("of many who ask at once, one does", async ({ store }) => {
    await write(store, [aProvider()]);
    const asked = await Promise.all(Array.from({ length: 20 }, () => store.results.begin(key, now, later)));
    assert.equal(asked.filter((is) => is).length, 1);
  });

  example("questions whose time is over are swept up", async ({ store }) => {
    await write(store, [aProvider()]);
    await store.results.begin(key, now, now + 1);
    assert.equal(await store.results.trim(now + 1, 100), 0);
    assert.equal(await store.results.begin(key, now, later), true, "it is known no more, not even to an old clock");
  });
}
