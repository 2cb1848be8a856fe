import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../../core/liveness.ts";
import { pushWorker } from "../../core/push.ts";
import type { PushAnswer } from "../../core/push-answer.ts";
import type { Pusher, PushRequest } from "../../ports/pusher.ts";
import type { Schemas } from "../../ports/schemas.ts";
import { settled, type World, type WorldOptions, world } from "../../testing/world.ts";
import { type Pushes, pushes } from "./pushes.ts";

const job = "@global:modifiers:Pushed";
const noSchemas: Schemas = { check() {}, validator: () => () => [] };

interface Sent {
  readonly request: PushRequest;
  readonly signal: AbortSignal;
  answer(status: number, body?: string): Promise<void>;
}

interface House extends World {
  readonly sent: Sent[];
  readonly pushing: Pushes;
  leasedUntil(id: string): Promise<number | null>;
}

async function house(options: WorldOptions = {}): Promise<House> {
  const w = await world(options);
  const sent: Sent[] = [];
  const pusher: Pusher = {
    post: (request, signal) =>
      new Promise<PushAnswer>((resolve) => {
        signal.addEventListener("abort", () => resolve({ type: "failed", reason: "network", message: "given up" }));
        sent.push({
          ...{ request, signal },
          answer(status, body = "") {
            resolve({ type: "answered", status, retryAfter: null, functionError: null, body, whole: true });
            return settled();
          },
        });
      }),
  };
  const pushing = pushes(w.around, {
    ...{ operations: w.engine, pusher, schemas: noSchemas, places: 3, publicUrl: "https://jobs.example" },
  });
  pushing.start();
  await settled();
  return { ...w, sent, pushing, leasedUntil: async (id) => (await w.task(id)).row.leasedUntil };
}

async function pushed(h: House, push: object = {}): Promise<string> {
  const url = "https://hooks.example/";
  await h.engine.jobs.register({ name: job, schema: {}, source: "explicit", replace: true, push: { url, ...push } });
  const { card } = await h.submit(job);
  await settled();
  return card.id;
}

test("while a request is under way its task is kept, however long it takes", async () => {
  const h = await house();
  const id = await pushed(h);
  await h.pass(120_000);
  assert.equal(h.sent.length, 1);
  await h.sent[0]?.answer(200, '{"a":1}');
  assert.deepEqual(await h.history(id), ["submitted", "assigned", "completed"]);
});

test("what a server had sent when it died is sent again by another within seconds", async () => {
  const first = await house();
  const id = await pushed(first);
  // It dies: nothing of it ever happens again.
  await first.engine.stop();
  const second = await house({ store: first.store, clock: first.clock, source: 2 });
  await second.pass(20_000);
  assert.equal(second.sent.length, 1);
  assert.equal(second.sent[0]?.request.headers["leadhand-attempt"], "2");
  await second.sent[0]?.answer(200);
  assert.deepEqual(await second.history(id), ["submitted", "assigned", "lost", "assigned", "completed"]);
});

test("a target that answered 202 keeps its task until the callback is due, whatever becomes of the server", async () => {
  const first = await house();
  const id = await pushed(first, { callbackMs: 300_000 });
  await first.sent[0]?.answer(202);
  assert.equal(await first.leasedUntil(id), first.clock.now() + 300_000);
  await first.pushing.stop(1_000);
  await first.engine.stop();
  first.clock.advance(120_000);
  const second = await house({ store: first.store, clock: first.clock, source: 2 });
  await second.pass(175_000);
  assert.equal((await second.task(id)).row.state, "running");
  assert.equal(second.sent.length, 0);
  await second.pass(10_000);
  assert.equal(second.sent.length, 1, "the callback never came, so it is sent again");
  assert.deepEqual(await second.history(id), ["submitted", "assigned", "lost", "assigned"]);
});

test("a server that stops gives requests their time, then hands their tasks back", async () => {
  const h = await house();
  const id = await pushed(h);
  const stopping = h.pushing.stop(5_000);
  await h.pass(4_000);
  assert.equal((await h.task(id)).row.state, "running");
  await h.pass(2_000);
  await stopping;
  assert.equal(h.sent[0]?.signal.aborted, true);
  assert.deepEqual(await h.history(id), ["submitted", "assigned", "released"]);
});

test("a server has no more requests under way than it has places, and the rest waits its turn", async () => {
  const h = await house();
  await pushed(h);
  for (let more = 0; more < 4; more += 1) await h.submit(job);
  await settled();
  assert.equal(h.sent.length, 3);
  await h.sent[0]?.answer(200);
  assert.equal(h.sent.length, 4);
});

test("queues, labels and versions of tasks mean nothing to a URL: its limit counts them all", async () => {
  const h = await house();
  await pushed(h, { maxConcurrent: 1 });
  for (const words of [{ queue: "fast" }, { labels: { zone: "eu" } }, { checksum: "sha256:other" }]) {
    await h.submit(job, words);
  }
  await settled();
  assert.equal(h.sent.length, 1);
  for (let done = 0; done < 4; done += 1) await h.sent[done]?.answer(200);
  assert.equal(h.sent.length, 4);
});

test("nothing is sent before the limit of its target stands", async () => {
  const w = await world();
  const push = { url: "https://hooks.example/", maxConcurrent: 1 };
  await w.engine.jobs.register({ name: job, schema: {}, source: "explicit", replace: true, push });
  await w.engine.workers.register({ id: pushWorker, profile: "push", owner: null });
  const { card } = await w.submit(job);
  await w.submit(job);
  assert.deepEqual(await w.claim(pushWorker, 5), []);
  await w.engine.lanes.setLimits(card.lane, { paused: false, maxRunning: 1 });
  assert.equal((await w.claim(pushWorker, 5)).length, 1);
});

test("a limit that changes holds for what is sent from then on", async () => {
  const h = await house();
  await pushed(h, { maxConcurrent: 1 });
  await h.submit(job);
  await settled();
  assert.equal(h.sent.length, 1);
  await pushed(h, { maxConcurrent: 3 });
  assert.equal(h.sent.length, 3);
});

test("a task that outlives its timeout has failed, and its request ends", async () => {
  const h = await house();
  await pushed(h);
  await h.sent[0]?.answer(200);
  const { card } = await h.submit(job, { policy: { timeoutMs: 2_000 } });
  await settled();
  await h.pass(4_000);
  assert.equal((await h.task(card.id)).outcome?.error?.code, "JobTimeout");
  assert.equal(h.sent[1]?.signal.aborted, true);
});

test("a job that is no push job any more leaves what was pending to workers, without a limit", async () => {
  const h = await house();
  await pushed(h, { maxConcurrent: 1 });
  const { card } = await h.submit(job);
  await h.engine.jobs.register({ name: job, schema: {}, source: "explicit", replace: true, push: null });
  await settled();
  const worker = await h.worker([job]);
  const [taken] = await h.claim(worker);
  assert.equal(taken?.card.id, card.id);
  assert.equal(h.engine.catalog.lane(card.lane)?.maxRunning, null);
});

test("without push jobs there is no worker for them, and it is never taken for silent", async () => {
  const h = await house();
  assert.equal(h.engine.catalog.worker(pushWorker), undefined);
  const id = await pushed(h, { callbackMs: 7 * 24 * 3_600_000 });
  await h.sent[0]?.answer(202);
  await h.pass(10 * 60_000);
  assert.equal((await h.task(id)).row.state, "running");
  assert.ok(defaultProfiles.push.lostMs > 7 * 24 * 3_600_000);
});

test("a worker that somebody removed is there again, and its tasks are sent once more", async () => {
  const h = await house();
  const id = await pushed(h);
  const worker = h.engine.catalog.worker(pushWorker);
  assert.ok(worker !== undefined);
  await h.engine.losing.remove(worker);
  await settled();
  await h.pass(2_000);
  assert.deepEqual(await h.history(id), ["submitted", "assigned", "lost", "assigned"]);
  assert.equal(h.sent[0]?.signal.aborted, true);
});
