import assert from "node:assert/strict";
import { test } from "node:test";
import { ada, house, job } from "../../testing/work-house.ts";
import { settled } from "../../testing/world.ts";

/** It has beaten for four seconds, and echoed nothing; `nonce` is one that it could echo. */
async function deafWorker() {
  const h = await house();
  await h.job(job);
  const crew = await h.connect({ echo: true });
  let nonce = 0;
  for (let second = 0; second < 4; second += 1) {
    nonce = crew.session.tick();
    await crew.say({ ready: 1, acked: 0 });
    await h.pass(1_000);
  }
  crew.session.tick();
  return { h, crew, nonce };
}

test("a worker that beats and does not echo is deaf, and gets nothing until it hears again", async () => {
  const { h, crew, nonce } = await deafWorker();
  await h.submit(job);
  await settled();
  assert.equal(crew.got.length, 0);
  await crew.say({ ready: 1, acked: 0, echo: nonce });
  assert.equal(crew.got.length, 1);
  const { items } = await h.store.read("workerEvents", { worker: crew.session.worker, limit: 10, offset: 0 });
  assert.deepEqual(
    items.map(({ type }) => type),
    ["worker.registered", "worker.deaf", "worker.online"],
  );
});

test("a worker that was blocked and beats by itself again is not blocked, though it says nothing new", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { worker } = crew.session;
  await crew.say({ ready: 1, acked: 0 });
  await h.desks.workers.beat(ada, worker, { cpuPercent: null, ramBytes: null, loopLagMs: null, blockedMs: 4_000 });
  const blockedMs = async () => (await h.desks.workers.get(ada, worker)).condition?.blockedMs;
  assert.equal(await blockedMs(), 4_000);
  await crew.say({ ready: 1, acked: 0 });
  assert.equal(await blockedMs(), 0);
});

test("a worker whose code blocks it for a second is told of once, and so is that it is over", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { worker } = crew.session;
  const blocked = async (blockedMs: number) => {
    await h.desks.workers.beat(ada, worker, { cpuPercent: null, ramBytes: null, loopLagMs: null, blockedMs });
    await h.pass(500);
  };
  for (const blockedMs of [999, 1_000, 2_000, 3_000]) await blocked(blockedMs);
  await crew.say({ ready: 1, acked: 0 });
  await crew.say({ ready: 1, acked: 0 });
  await blocked(5_000);
  const { items } = await h.store.read("workerEvents", { worker, limit: 10, offset: 0 });
  assert.deepEqual(
    items.map(({ type, data }) => [type, data]),
    [
      ["worker.registered", '{"by":"ada"}'],
      ["worker.blocked", '{"blocked_ms":1000}'],
      ["worker.online", '{"after":"blocked"}'],
    ],
    "one that is blocked again at once is not told of with every breath",
  );
});

test("how a worker is, and whether it hears, is known on the other servers too", async () => {
  const { h, crew } = await deafWorker();
  const { worker } = crew.session;
  const other = await house({ store: h.store, bus: h.bus, clock: h.clock, source: 2 });
  await crew.say({ ready: 1, acked: 0, condition: { cpuPercent: 7, ramBytes: 1_000, loopLagMs: 2 } });
  for (let second = 0; second < 12; second += 1) {
    await crew.say({ ready: 1, acked: 0 });
    await h.pass(1_000);
  }
  const there = await other.desks.workers.get(ada, worker);
  assert.deepEqual(there.condition, { cpuPercent: 7, ramBytes: 1_000, loopLagMs: 2, blockedMs: 0 });
  assert.equal(there.deaf, true);
  const [here] = (await h.desks.workers.list(ada, { limit: 10, offset: 0 })).items;
  assert.deepEqual([here?.condition?.cpuPercent, here?.deaf], [7, true]);
});

test("a worker that comes back with the same spec is not told of again as one that does not fit", async () => {
  const h = await house();
  await h.job(job);
  const specs = [{ id: job, checksum: "sha256:other" }];
  const crew = await h.connect({ specs });
  const { worker, token } = crew.session;
  const mismatches = async () => {
    const { items } = await h.store.read("workerEvents", { worker, limit: 20, offset: 0 });
    return items.filter(({ type }) => type === "worker.spec_mismatch").length;
  };
  await h.pass(1_000);
  await h.connect({ specs, resume: { worker, token, held: [] } });
  await h.pass(1_000);
  assert.equal(await mismatches(), 1);
  await h.job(job, {}, { type: "object" });
  await h.pass(1_000);
  await h.connect({ specs: [{ id: job, checksum: "sha256:third" }], resume: { worker, token, held: [] } });
  await h.pass(1_000);
  assert.equal(await mismatches(), 2, "another one is");
});

test("a worker that hears again and drains in the same breath is given nothing", async () => {
  const { h, crew, nonce } = await deafWorker();
  await h.submit(job);
  await crew.say({ ready: 0, acked: 0, draining: true, echo: nonce });
  await settled();
  assert.equal(crew.got.length, 0);
});
