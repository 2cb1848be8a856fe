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

test("a worker that hears again and drains in the same breath is given nothing", async () => {
  const { h, crew, nonce } = await deafWorker();
  await h.submit(job);
  await crew.say({ ready: 0, acked: 0, draining: true, echo: nonce });
  await settled();
  assert.equal(crew.got.length, 0);
});
