import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { heldBy, house, job } from "../../testing/work-house.ts";
import { settled, type World } from "../../testing/world.ts";

const admin: Principal = { user: "root", token: null, role: "admin", rooms: null, jobs: null };
const by = { who: admin, note: "new kernel" };
const minute = 60_000;

const commandsOf = async (w: World, worker: string) =>
  (await w.store.read("commands", { worker, limit: 100, offset: 0 })).items;

test("a connected worker is told at once, once, and is asked no more when it has acknowledged", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect({ commands: true });
  await crew.say({ ready: 2 });
  const { worker } = crew.session;
  await h.engine.control.drainWorker(by, worker, minute);
  await settled();
  assert.deepEqual([crew.commands.map(({ type }) => type), crew.drains], [["drain"], 0]);
  await h.submit(job);
  await crew.say({ ready: 2 });
  assert.equal(crew.got.length, 0);
  const [command] = crew.commands;
  assert.notEqual((await commandsOf(h, worker))[0]?.deliveredAt, null);
  await crew.say({ ready: 2, acks: [{ id: command?.id ?? "", ok: true, detail: "idle" }] });
  const [acked] = await commandsOf(h, worker);
  assert.deepEqual([acked?.ackedAt, acked?.answer], [h.clock.now(), '{"ok":true,"detail":"idle"}']);
  await h.engine.control.resumeWorker(by, worker);
  await crew.say({ ready: 2 });
  assert.deepEqual([crew.commands.map(({ type }) => type), crew.got.length], [["drain", "resume"], 1]);
});

test("a connected worker that knows nothing of commands is asked to drain, and hears of what was taken from it", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await crew.say({ ready: 1 });
  const [given] = crew.got;
  await h.engine.evictions.evict(by, given?.task.card.id ?? "");
  await crew.say({ ready: 0 });
  assert.deepEqual(crew.cancelled, [{ task: given?.task.card.id, attempt: 1 }]);
  await h.engine.control.drainWorker(by, crew.session.worker, null);
  await crew.say({ ready: 0 });
  assert.deepEqual([crew.drains, crew.commands], [1, []]);
});

test("a connected worker with a limit is given no more than that", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect({ commands: true });
  await crew.say({ ready: 10, acked: 0 });
  await h.engine.control.limitWorker(by, crew.session.worker, 2);
  for (let count = 0; count < 5; count += 1) await h.submit(job);
  await crew.say({ ready: 10, acked: 0 });
  assert.equal(crew.got.length, 2);
  await crew.say({ ready: 10, acked: 2, results: crew.end(0) });
  assert.equal(crew.got.length, 3);
  await h.engine.control.limitWorker(by, crew.session.worker, null);
  await crew.say({ ready: 10, acked: 3 });
  assert.equal(crew.got.length, 5);
});

test("an attempt that was evicted is not taken for the next one at the same worker", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect({ commands: true });
  const { card } = await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await h.engine.evictions.evict(by, card.id);
  await crew.say({ ready: 1, acked: 1 });
  assert.deepEqual(
    crew.got.map(({ task }) => task.row.attempt),
    [1, 2],
  );
  assert.deepEqual(crew.cancelled, [{ task: card.id, attempt: 1 }]);
  h.bus.publish(`worker:${crew.session.worker}`, `evict ${card.id} 1`);
  await crew.say({ ready: 0, acked: 2 });
  assert.equal(crew.cancelled.length, 1);
});

test("of more commands than are told at once, the others follow when these are acknowledged", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect({ commands: true });
  const { worker, token } = crew.session;
  await crew.session.leave("cut");
  for (let value = 1; value <= 120; value += 1) await h.engine.control.limitWorker(by, worker, value);
  const again = await h.connect({ commands: true, resume: { worker, token, held: [] } });
  await again.say();
  assert.equal(again.commands.length, 100);
  await again.say({ acks: again.commands.map(({ id }) => ({ id, ok: true, detail: null })) });
  assert.equal(new Set(again.commands.map(({ id }) => id)).size, 120);
});

test("what was ordered before a server is gone is told and kept by the next", async () => {
  const h = await house();
  const { store, clock } = h;
  await h.job(job);
  const crew = await h.connect({ commands: true });
  await h.submit(job);
  await crew.say({ ready: 2, acked: 0 });
  const { worker, token } = crew.session;
  // The connection is cut before the order comes, so it is written and told to nobody.
  await crew.session.leave("cut");
  await h.engine.control.drainWorker(by, worker, minute);
  await h.engine.control.limitWorker(by, worker, 3);
  await settled();
  assert.deepEqual(crew.commands, []);
  await h.stop();
  const next = await house({ store, clock, source: 2 });
  const again = await next.connect({ commands: true, resume: { worker, token, held: heldBy(crew) } });
  assert.equal(again.session.resumed, true);
  await next.submit(job);
  await again.say({ ready: 2, acked: 0 });
  assert.deepEqual(
    again.commands.map(({ type, note }) => [type, note]),
    [
      ["drain", "new kernel"],
      ["concurrency", "new kernel"],
    ],
  );
  assert.deepEqual(again.got, [], "it drains on");
  const [drain, limit] = again.commands;
  await again.say({ ready: 2, acked: 0, acks: [{ id: drain?.id ?? "", ok: true, detail: null }] });
  await again.session.leave("cut");
  const third = await next.connect({ commands: true, resume: { worker, token, held: heldBy(crew) } });
  await third.say({ ready: 2 });
  assert.deepEqual(
    third.commands.map(({ id }) => id),
    [limit?.id],
    "what is acknowledged is not told again",
  );
});
