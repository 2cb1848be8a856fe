import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import { providerQuestion } from "../core/provider.ts";
import type { ProviderRecord } from "../ports/records.ts";
import { settled, type World, type WorldOptions, world } from "../testing/world.ts";
import type { ProviderRequest } from "./providers.ts";

const question = providerQuestion(new Map([["path", "/a"]]));
const bytes = Uint8Array.of(1, 2, 3);
const page = { rooms: null, limit: 100, offset: 0 };

interface ProviderWorld extends World {
  /** What was announced, by topic, as `event {data}`. */
  readonly heard: (topic: string) => string[];
  provider(words?: Partial<ProviderRequest>): Promise<ProviderRecord>;
}

async function providerWorld(options: WorldOptions = {}): Promise<ProviderWorld> {
  const w = await world(options);
  const words = { room: "lab", category: "files", name: "reader", schema: {}, contentType: "text/plain" };
  return {
    ...w,
    heard(topic) {
      const lines: string[] = [];
      w.bus.subscribe(topic, (message) => {
        const [event, data] = JSON.parse(message) as [string, object];
        lines.push(`${event} ${JSON.stringify(data)}`);
      });
      return lines;
    },
    async provider(more = {}) {
      const whose = { worker: null, owner: "ada", takesOver: false };
      return (await w.engine.providers.register({ ...words, ...whose, ...more })).provider;
    },
  };
}

const text = (answer: { readonly result: { readonly bytes: Uint8Array } } | null) =>
  answer === null ? null : [...answer.result.bytes];

test("a question that nobody has answered is put to the provider once, however many ask it", async () => {
  const w = await providerWorld();
  const provider = await w.provider();
  const requests = w.heard(`providers:${provider.worker}:lab:files:reader`);
  const reads = Array.from({ length: 20 }, () => w.engine.readProvider(provider, question, 5_000));
  await settled();
  const data = { request_id: question.hash, provider_name: provider.name, params: '{"path":"/a"}' };
  assert.deepEqual(requests, [`provider_request ${JSON.stringify(data)}`]);
  await w.engine.keepResult(provider, question.hash, bytes);
  for (const answer of await Promise.all(reads)) assert.deepEqual([text(answer), answer?.waited], [[1, 2, 3], true]);
  const again = await w.engine.readProvider(provider, question, 5_000);
  assert.deepEqual([text(again), again?.waited, requests.length], [[1, 2, 3], false, 1]);
});

test("another question is another request", async () => {
  const w = await providerWorld();
  const provider = await w.provider();
  const requests = w.heard(`providers:${provider.worker}:lab:files:reader`);
  await w.engine.readProvider(provider, question, 0);
  await w.engine.readProvider(provider, providerQuestion(new Map()), 0);
  assert.equal(requests.length, 2);
});

test("even who does not wait has the provider asked, and finds the answer when he comes again", async () => {
  const w = await providerWorld();
  const provider = await w.provider();
  const requests = w.heard(`providers:${provider.worker}:lab:files:reader`);
  assert.equal(await w.engine.readProvider(provider, question, 0), null);
  assert.equal(requests.length, 1);
  await w.engine.keepResult(provider, question.hash, bytes);
  assert.deepEqual(text(await w.engine.readProvider(provider, question, 0)), [1, 2, 3]);
});

test("a provider that was asked is not asked the same again before the question's time is over", async () => {
  const w = await providerWorld();
  const provider = await w.provider();
  const requests = w.heard(`providers:${provider.worker}:lab:files:reader`);
  const read = w.engine.readProvider(provider, question, 5_000);
  await w.pass(5_000);
  assert.equal(await read, null);
  await w.engine.readProvider(provider, question, 0);
  assert.equal(requests.length, 1);
  await w.pass(26_000);
  await w.engine.readProvider(provider, question, 0);
  assert.equal(requests.length, 2);
});

test("whoever waits longer than a question is on its way has it asked again", async () => {
  const w = await providerWorld({ settings: { providerInflightMs: 3_000 } });
  const provider = await w.provider();
  const requests = w.heard(`providers:${provider.worker}:lab:files:reader`);
  const read = w.engine.readProvider(provider, question, 5_000);
  await w.pass(4_500);
  assert.equal(requests.length, 2);
  await w.pass(500);
  assert.equal(await read, null);
});

test("a question that no provider hears is not on its way: one that begins to listen is asked", async () => {
  const w = await providerWorld();
  const provider = await w.provider();
  assert.equal(await w.engine.readProvider(provider, question, 0), null);
  const read = w.engine.readProvider(provider, question, 5_000);
  await w.pass(1_500);
  const requests = w.heard(`providers:${provider.worker}:lab:files:reader`);
  await w.pass(1_000);
  assert.equal(requests.length, 1);
  await w.engine.keepResult(provider, question.hash, bytes);
  assert.deepEqual(text(await read), [1, 2, 3]);
});

test("a read that waits is put to the worker that has the provider by then", async () => {
  const w = await providerWorld();
  const provider = await w.provider();
  const former = w.heard(`providers:${provider.worker}:lab:files:reader`);
  const read = w.engine.readProvider(provider, question, 5_000);
  await settled();
  const current = await w.provider();
  const requests = w.heard(`providers:${current.worker}:lab:files:reader`);
  await w.pass(1_500);
  assert.deepEqual([former.length, requests.length], [1, 1]);
  await w.engine.keepResult(current, question.hash, bytes);
  assert.deepEqual(text(await read), [1, 2, 3]);
});

test("a read that missed the message still finds the result by itself, on another server too", async () => {
  const w = await providerWorld();
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const provider = await w.provider();
  const read = w.engine.readProvider(provider, question, 5_000);
  await settled();
  await other.engine.keepResult(provider, question.hash, bytes);
  await w.pass(1_000);
  assert.deepEqual(text(await read), [1, 2, 3]);
});

test("a read ends when its caller leaves, or the server", async () => {
  const w = await providerWorld();
  const provider = await w.provider();
  const leaving = new AbortController();
  const reads = [w.engine.readProvider(provider, question, 5_000, leaving.signal)];
  await settled();
  leaving.abort();
  assert.equal(await reads[0], null);
  const last = w.engine.readProvider(provider, question, 5_000);
  await settled();
  await w.engine.stop();
  assert.equal(await last, null);
});

test("a result is kept for its time, and is gone from the store soon after", async () => {
  const w = await providerWorld();
  // A worker that is kept for a day though it is silent.
  const worker = await w.worker([], { profile: "fleet" });
  const provider = await w.provider({ worker, owner: "someone" });
  await w.engine.keepResult(provider, question.hash, bytes);
  await w.pass(200_000);
  await w.engine.keepResult(provider, "later", bytes);
  await w.pass(99_750);
  assert.deepEqual(text(await w.engine.readProvider(provider, question, 0)), [1, 2, 3]);
  await w.pass(250);
  assert.equal(await w.engine.readProvider(provider, question, 0), null);
  const trimmed = await w.store.results.get({ provider: provider.id, hash: question.hash }, 0);
  assert.equal(trimmed, null, "not even an old clock finds it");
  await w.pass(200_000);
  assert.equal(await w.store.results.get({ provider: provider.id, hash: "later" }, 0), null);
});

test("results together take no more room than they may, but for a sixteenth; the oldest go", async () => {
  const w = await providerWorld({ settings: { providerCacheBytesMax: 1_600 } });
  const provider = await w.provider();
  for (let n = 0; n < 40; n += 1) {
    await w.engine.keepResult(provider, `h${n}`, new Uint8Array(90));
    await w.pass(1);
  }
  const found = await Promise.all(
    Array.from({ length: 40 }, (_, n) => w.store.results.get({ provider: provider.id, hash: `h${n}` }, w.clock.now())),
  );
  const left = found.flatMap((each, n) => (each === null ? [] : [n]));
  assert.deepEqual(
    left,
    Array.from({ length: left.length }, (_, n) => 40 - left.length + n),
  );
  assert.ok(left.length >= 17 && left.length <= 18, `${left.length}`);
});

test("registering, leaving and answering are announced to the provider's room", async () => {
  const w = await providerWorld();
  const events = w.heard("room:lab");
  const provider = await w.provider();
  await w.provider();
  await w.engine.keepResult(provider, "h", bytes);
  assert.equal(await w.engine.providers.remove(await w.provider()), true);
  assert.equal(await w.engine.providers.remove(provider), false);
  const ready = `provider_result_ready {"provider_name":"lab:files:reader","request_hash":"h"}`;
  const changed = "providers_invalidate {}";
  assert.deepEqual(events, [changed, changed, ready, changed, changed]);
});

test("a provider registered again keeps its id and forgets what it answered", async () => {
  const w = await providerWorld();
  const first = await w.provider();
  await w.engine.keepResult(first, question.hash, bytes);
  const second = await w.provider({ contentType: "text/html", schema: { a: 1 } });
  assert.deepEqual([second.id, second.createdAt, second.schema], [first.id, first.createdAt, '{"a":1}']);
  assert.notEqual(second.worker, first.worker, "a worker was made along with it");
  assert.equal(await w.engine.readProvider(second, question, 0), null);
  await assert.rejects(
    w.engine.keepResult({ ...first, id: second.worker }, "h", bytes),
    (error) => error instanceof Problem && error.code === "provider-not-found",
  );
});

test("a refused registration leaves neither provider nor worker behind", async () => {
  const w = await providerWorld();
  await w.provider();
  const before = [...w.engine.catalog.workers()].length;
  for (const words of [{ owner: "bob" }, { category: "a:b" }, { contentType: "text" }, { worker: "nobody" }]) {
    await assert.rejects(w.provider(words), Problem);
  }
  await w.engine.catalog.refresh();
  assert.equal([...w.engine.catalog.workers()].length, before);
  assert.equal((await w.provider({ owner: "bob", takesOver: true })).owner, "bob");
});

test("a worker's providers go with it, and each room that lost one hears of it once", async () => {
  const w = await providerWorld();
  const { worker } = await w.provider();
  await w.provider({ worker, name: "second" });
  await w.provider({ worker, room: "attic" });
  const kept = await w.provider({ name: "other's" });
  const rooms = [w.heard("room:lab"), w.heard("room:attic")];
  // The one that stays beats; the other one is silent.
  for (let passed = 0; passed < 70_000; passed += 10_000) {
    await w.engine.beat(kept.worker);
    await w.pass(10_000);
  }
  const { items } = await w.store.read("providers", page);
  assert.deepEqual(items, [kept]);
  assert.deepEqual(rooms, [["providers_invalidate {}"], ["providers_invalidate {}"]]);
});
