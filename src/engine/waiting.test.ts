import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Problem } from "../core/problem.ts";
import { settled, world } from "../testing/world.ts";

const done = { type: "complete", result: "42" } as const;

test("a wait for a task wakes when the task has ended", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  const wait = w.engine.waits.untilFinal(card.id, 30_000);
  await w.claim(worker);
  await w.engine.settle(card.id, { worker, attempt: 1 }, done);
  assert.equal((await wait)?.outcome?.result, "42");
});

test("a wait ends on time with the task as it is", async () => {
  const w = await world();
  const { card } = await w.submit(await w.job());
  const wait = w.engine.waits.untilFinal(card.id, 2_000);
  await settled();
  await w.pass(2_000);
  assert.equal((await wait)?.row.state, "pending");
});

test("a wait listens once to whoever may end it, however long it takes, and lets go afterwards", async () => {
  const w = await world();
  const { card } = await w.submit(await w.job());
  const ending = new AbortController();
  const listens = mock.method(ending.signal, "addEventListener");
  const letsGo = mock.method(ending.signal, "removeEventListener");
  const wait = w.engine.waits.untilFinal(card.id, 60_000, ending.signal);
  await w.pass(30_000);
  assert.deepEqual([listens.mock.callCount(), letsGo.mock.callCount()], [1, 0]);
  ending.abort();
  assert.equal((await wait)?.row.state, "pending");
  assert.deepEqual(letsGo.mock.calls[0]?.arguments.slice(0, 2), listens.mock.calls[0]?.arguments.slice(0, 2));
});

test("a wait that missed the message still finds the end by itself", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const { card } = await w.submit(job);
  await w.pass(1_000);
  const wait = w.engine.waits.untilFinal(card.id, 30_000);
  await settled();
  await other.claim(worker);
  await other.engine.settle(card.id, { worker, attempt: 1 }, done);
  await w.pass(6_000);
  assert.equal((await wait)?.row.state, "completed");
});

test("a server that stops ends its waits and takes nothing more", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job, { runAt: w.clock.now() + 60_000 });
  const wait = w.engine.waits.untilFinal(card.id, 30_000);
  const claim = w.engine.claim({ worker, limit: 1, assign: true, waitMs: 30_000 });
  await settled();
  await w.stop();
  assert.equal((await wait)?.row.state, "pending");
  assert.deepEqual(await claim, []);
  await assert.rejects(w.submit(job), (error: unknown) => error instanceof Problem && error.code === "stopping");
  await w.stop();
});

test("the same key and body get the first answer again; another body is refused", async () => {
  const w = await world();
  const job = await w.job();
  const request = [{ job, room: "@global", payload: "{}" }];
  const key = { scope: "someone:submit", key: "k", bodyHash: "a" };
  const [first] = await w.engine.submit(request, { key });
  const [second] = await w.engine.submit(request, { key });
  assert.equal(second?.card.id, first?.card.id);
  await assert.rejects(
    w.engine.submit(request, { key: { ...key, bodyHash: "b" } }),
    (error: unknown) => error instanceof Problem && error.code === "idempotency-conflict",
  );
});

test("a call of many tasks is all or nothing", async () => {
  const w = await world();
  const job = await w.job();
  const good = { job, room: "@global", payload: "{}" };
  await assert.rejects(w.engine.submit([good, { ...good, room: "a:b" }]), Problem);
  const { total } = await w.store.read("taskList", { limit: 0, offset: 0 });
  assert.equal(total, 0);
});

test("a job with too many pending tasks takes no more", async () => {
  const w = await world({ settings: { pendingPerJobMax: 2 } });
  const job = await w.job();
  await w.submit(job);
  await w.submit(job);
  await assert.rejects(
    w.submit(job),
    (error: unknown) => error instanceof Problem && error.code === "too-many-pending",
  );
});

test("a queue position is the rank in claim order within the job", async () => {
  const w = await world();
  const job = await w.job();
  const [first, second] = [await w.submit(job), await w.submit(job)];
  const urgent = await w.submit(job, { priority: 1 });
  const positions = await Promise.all([urgent, first, second].map((task) => w.engine.depths.position(task)));
  assert.deepEqual(
    positions.map((place) => place?.position),
    [1, 2, 3],
  );
});

test("bad requests name the field and store nothing", async () => {
  const w = await world();
  const job = await w.job();
  const cases = [
    { priority: 0.5 },
    { runAt: Number.NaN },
    { policy: { timeoutMs: -1 } },
    { queue: "q".repeat(300) },
    { labels: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"])) },
  ];
  for (const bad of cases) {
    await assert.rejects(
      w.submit(job, bad),
      (error: unknown) => error instanceof Problem && error.status === 422 && error.errors.length === 1,
    );
  }
  assert.equal((await w.store.read("taskList", { limit: 0, offset: 0 })).total, 0);
});
