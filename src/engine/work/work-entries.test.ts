import assert from "node:assert/strict";
import { test } from "node:test";
import { specChecksum } from "../../core/checksum.ts";
import { Problem } from "../../core/problem.ts";
import type { Store } from "../../ports/store.ts";
import { ada, heldBy, house, idsOf, job, nothing, refusals } from "../../testing/work-house.ts";
import { settled } from "../../testing/world.ts";
import type { HeldAttempt } from "../letting-go.ts";

test("a worker that comes back within its window goes on with what it has; what it does not list goes back", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await h.submit(job);
  await crew.say({ ready: 2, acked: 0 });
  const [kept, forgotten] = heldBy(crew) as [HeldAttempt, HeldAttempt];
  await crew.session.leave("cut");
  await h.pass(3_000);
  const { worker, token } = crew.session;
  const again = await h.connect({ resume: { worker, token, held: [kept] } });
  assert.deepEqual([again.session.worker, again.session.resumed, again.session.lost], [worker, true, []]);
  await again.say({ results: [{ ...kept, move: { type: "complete", result: "1" } }] });
  assert.equal(again.told[0]?.refusal, null);
  assert.equal((await h.task(kept.task)).row.attempt, 1);
  assert.equal((await h.task(forgotten.task)).row.state, "pending");
});

test("a worker that comes back too late is welcome, and its old results are refused", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  const [held] = heldBy(crew) as [HeldAttempt];
  await crew.session.leave("cut");
  await h.pass(8_000);
  assert.equal((await h.task(held.task)).row.state, "pending");
  const { worker, token } = crew.session;
  const again = await h.connect({ resume: { worker, token, held: [held] } });
  assert.deepEqual([again.session.worker, again.session.lost], [worker, [held]]);
  await again.say({ results: [{ ...held, move: { type: "complete", result: "1" } }] });
  assert.equal(again.told[0]?.refusal?.code, "lease-lost");
  assert.equal(await refusals(h, held.task), 1);
});

test("a wrong token makes a new worker, which gets none of the tasks", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  const held = heldBy(crew);
  const stranger = await h.connect({ resume: { worker: crew.session.worker, token: "guessed", held } });
  assert.notEqual(stranger.session.worker, crew.session.worker);
  assert.deepEqual([stranger.session.resumed, stranger.session.lost], [false, held]);
  assert.deepEqual(crew.closed, []);
});

test("a newer connection of the same worker replaces the older one", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { worker, token } = crew.session;
  await h.connect({ resume: { worker, token, held: [] } });
  assert.deepEqual(crew.closed, ["replaced"]);
});

test("a worker that falls silent is told that it is lost, and its task runs elsewhere", async () => {
  const h = await house();
  await h.job(job);
  const [crew, other] = [await h.connect(), await h.connect()];
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await other.say({ ready: 1, acked: 0 });
  for (let second = 0; second < 7; second += 1) {
    await other.say({ ready: 1, acked: 0 });
    await h.pass(1_000);
  }
  assert.deepEqual(crew.closed, ["lost"]);
  assert.deepEqual(idsOf(other), idsOf(crew));
  assert.equal((await h.task(idsOf(crew)[0] as string)).row.losses, 1);
});

test("specs are judged one by one, and anew when what is registered changes, on the same connection", async () => {
  const h = await house();
  const [rotate, mirror] = [job, "@global:modifiers:Mirror"];
  await h.job(rotate);
  await h.job(mirror);
  const [old, next] = [specChecksum({ schema: {} }), specChecksum({ schema: { type: "object" } })];
  const specs = [
    { id: rotate, checksum: next },
    { id: mirror, checksum: old },
    { id: "nobody.knows", checksum: null },
  ];
  const crew = await h.connect({ specs });
  assert.deepEqual(
    crew.session.verdicts().map(({ accepted, reason }) => [accepted, reason]),
    [
      [false, "checksum"],
      [true, null],
      [false, "unknown"],
    ],
  );
  await crew.say({ ready: 2, acked: 0 });
  const waiting = await h.submit(rotate);
  await h.submit(mirror);
  await settled();
  assert.deepEqual(
    crew.got.map(({ spec }) => spec),
    [mirror],
  );
  await h.job(rotate, {}, { type: "object" });
  await settled();
  assert.equal(crew.verdicts.length, 1);
  assert.deepEqual(idsOf(crew)[1], waiting.card.id);
});

test("a spec announced under a short name is the job of that name among the specs", async () => {
  const h = await house();
  await h.engine.jobs.register({
    name: "@global:specs:reports.generate",
    schema: {},
    source: "explicit",
    replace: true,
  });
  const crew = await h.connect({ specs: [{ id: "reports.generate", checksum: specChecksum({ schema: {} }) }] });
  await h.submit("@global:specs:reports.generate");
  await crew.say({ ready: 1, acked: 0 });
  assert.equal(crew.got[0]?.spec, "reports.generate");
});

test("announcing a spec registers nothing, and brings nothing back", async () => {
  const h = await house();
  const crew = await h.connect({ specs: [{ id: "a.b", checksum: null }] });
  assert.equal(h.engine.catalog.job("@global:specs:a.b"), undefined);
  assert.equal(crew.session.verdicts()[0]?.reason, "unknown");
});

test("a draining worker gets nothing more, and is gone when it has told its last result", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await crew.say({ ready: 1, acked: 1, draining: true, results: crew.end() });
  assert.equal(crew.got.length, 1);
  await crew.session.leave("done");
  await settled();
  assert.equal(h.engine.catalog.worker(crew.session.worker), undefined);
});

test("what was claimed for a connection that is gone meanwhile goes back, and costs nothing", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { card } = await h.submit(job);
  crew.session.beat({ ...nothing, ready: 1, acked: 0 });
  await crew.session.leave("cut");
  await settled();
  const { row } = await h.task(card.id);
  assert.deepEqual([crew.got.length, row.state, row.losses, row.failures], [0, "pending", 0, 0]);
});

test("what is on its way to a worker that says goodbye goes back, and does not fail with it", async () => {
  let hold: Promise<void> | null = null;
  const between = (store: Store): Store => ({
    ...store,
    async exchange(...args) {
      const answer = await store.exchange(...args);
      await hold;
      return answer;
    },
  });
  const h = await house({ between });
  await h.job(job, { onWorkerLost: "fail" });
  const crew = await h.connect();
  const claimed = await h.submit(job);
  let open = (): void => {};
  hold = new Promise((resolve) => {
    open = resolve;
  });
  await crew.say({ ready: 1, acked: 0 });
  await crew.say({ acked: 0, draining: true });
  await crew.session.leave("done");
  open();
  hold = null;
  await settled();
  const other = await h.connect();
  const sent = await h.submit(job);
  await other.say({ ready: 2, acked: 0 });
  assert.equal(other.got.length, 2);
  await other.say({ acked: 0, draining: true });
  await other.session.leave("done");
  await settled();
  await h.pass(7_000);
  for (const { card } of [claimed, sent]) {
    const { row } = await h.task(card.id);
    assert.deepEqual([row.state, row.losses], ["pending", 0]);
  }
});

test("of what a lost worker kept in hand beyond what it runs, nothing counts as lost", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect({ concurrency: 1, prefetch: 2 });
  await crew.say({ ready: 3, acked: 0 });
  for (let count = 0; count < 3; count += 1) {
    await h.submit(job);
    await settled();
    h.clock.advance(10);
  }
  assert.equal(crew.got.length, 3);
  await h.pass(7_000);
  const losses = await Promise.all(idsOf(crew).map(async (id) => (await h.task(id)).row.losses));
  assert.deepEqual(losses, [1, 0, 0]);
});

test("a token that is not for a job serves the others", async () => {
  const h = await house();
  await h.job(job);
  await h.job("@global:modifiers:Mirror");
  const limited = { ...ada, jobs: ["@global:modifiers:M*"] };
  const specs = [job, "@global:modifiers:Mirror"].map((id) => ({ id, checksum: null }));
  const crew = await h.connect({ specs }, limited);
  assert.deepEqual(
    crew.session.verdicts().map(({ reason }) => reason),
    ["forbidden", null],
  );
  await crew.say({ ready: 1, acked: 0 });
  await h.submit(job);
  await settled();
  assert.equal(crew.got.length, 0);
});

test("a viewer may not work", async () => {
  const h = await house();
  await assert.rejects(h.connect({}, { ...ada, role: "viewer" }), (error) => error instanceof Problem);
});

test("a worker that is to drain by its record is told so once, and gets nothing more", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 1, acked: 0 });
  await h.engine.workers.change(crew.session.worker, { draining: true });
  await h.engine.workers.change(crew.session.worker, { name: "leaving" });
  await h.submit(job);
  await settled();
  assert.deepEqual([crew.drains, crew.got.length], [1, 0]);
});
