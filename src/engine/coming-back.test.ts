// Workers that register again: what they find of what they had, and who may do it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { WorkerRecord } from "../ports/records.ts";
import { rowsMax, type Store } from "../ports/store.ts";
import { type World, world } from "../testing/world.ts";
import type { HeldAttempt } from "./letting-go.ts";

const done = { type: "complete", result: null } as const;
const dayMs = 24 * 60 * 60_000;

interface Again {
  readonly owner?: string | null;
  readonly profile?: WorkerRecord["profile"];
  readonly holds?: readonly HeldAttempt[];
}

function registerAgain(w: World, id: string, job: string, again: Again = {}): Promise<WorkerRecord> {
  return w.engine.workers.register({ id, profile: "work", owner: "someone", ...again, jobs: new Map([[job, null]]) });
}

/** The first half of a loss, by a server that falls over before the second. */
async function fence(w: World, worker: string): Promise<void> {
  assert.notEqual(await w.engine.workers.fence(worker, "worker.offline", () => true), null);
}

async function sessionOf(store: Store, worker: string): Promise<WorkerRecord["session"] | undefined> {
  return (await store.read("workers", { ids: [worker] }))[0]?.session;
}

test("a worker that registers again before its loss was finished leaves no task behind it", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  await w.claim(worker);
  await fence(w, worker);
  await registerAgain(w, worker, job);
  const { row } = await w.task(card.id);
  assert.deepEqual([row.state, row.losses], ["pending", 1]);
  assert.equal((await w.claim(worker))[0]?.row.attempt, 2);
  assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "lost", "assigned"]);
});

test("a worker that registers again after it was removed leaves no task behind it", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  await w.claim(worker);
  await fence(w, worker);
  await w.engine.workers.remove(worker, "worker.deleted", w.clock.now());
  await registerAgain(w, worker, job);
  assert.equal((await w.task(card.id)).row.state, "pending");
});

test("a kept worker that is revived has lost what it held, by the rule of its profile", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  await fence(w, worker);
  await w.engine.workers.revive(worker);
  assert.equal((await w.task(card.id)).outcome?.error?.code, "WORKER_OFFLINE");
  assert.equal((await sessionOf(w.store, worker))?.lostAt, null);
});

test("a fence stands until the last of very many tasks has moved", async () => {
  const held: { fenced: boolean; tasks: number }[] = [];
  let watching = false;
  const between = (inner: Store): Store => ({
    ...inner,
    async amend(scope, decide) {
      const amended = await inner.amend(scope, decide);
      const [worker] = scope.heldBy ?? [];
      if (watching && worker !== undefined) {
        const { length: tasks } = await inner.find("held", { workers: [worker], limit: rowsMax + 1 });
        held.push({ fenced: (await sessionOf(inner, worker))?.lostAt !== null, tasks });
      }
      return amended;
    },
  });
  const w = await world({ between });
  const job = await w.job();
  const worker = await w.worker([job]);
  const requests = Array.from({ length: rowsMax + 1 }, () => ({ job, room: "@global", payload: "{}" }));
  await w.engine.submit(requests);
  for (let left = requests.length; left > 0; ) left -= (await w.claim(worker, left)).length;
  await fence(w, worker);
  watching = true;
  await registerAgain(w, worker, job);
  assert.deepEqual(held, [
    { fenced: true, tasks: 1 },
    { fenced: false, tasks: 0 },
  ]);
});

test("children that are lost when their worker comes back count on their parent", async () => {
  const w = await world();
  const job = await w.job();
  const [coordinator, worker] = [
    await w.worker([job], { profile: "rest" }),
    await w.worker([job], { profile: "rest" }),
  ];
  const parent = await w.submit(job);
  await w.claim(coordinator);
  const child = await w.submit(job, { parent: parent.card.id });
  await w.submit(job, { parent: parent.card.id });
  await w.engine.settle(parent.card.id, { worker: coordinator, attempt: 1 }, { type: "defer", total: 2 });
  await w.claim(worker, 2);
  await fence(w, worker);
  await registerAgain(w, worker, job, { profile: "rest" });
  assert.equal((await w.task(child.card.id)).row.state, "failed");
  await w.pass(3_000);
  assert.equal((await w.task(parent.card.id)).outcome?.error?.code, "AllChildrenFailed");
});

test("a worker that resumes keeps the attempts it lists; the others go back and nothing counts against them", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const [kept, unheard, old] = [await w.submit(job), await w.submit(job), await w.submit(job)];
  await w.claim(worker, 3);
  const holds = [
    { task: kept.card.id, attempt: 1 },
    { task: old.card.id, attempt: 0 },
  ];
  await registerAgain(w, worker, job, { holds });
  await w.engine.settle(kept.card.id, { worker, attempt: 1 }, done);
  for (const { card } of [unheard, old]) {
    const { row } = await w.task(card.id);
    assert.deepEqual([row.state, row.losses, row.failures], ["pending", 0, 0]);
    assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "released"]);
  }
});

test("a worker that registers again while it lives, and lists nothing, keeps what it holds", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  await w.claim(worker);
  await registerAgain(w, worker, job);
  await w.engine.settle(card.id, { worker, attempt: 1 }, done);
  assert.equal((await w.task(card.id)).row.state, "completed");
});

for (const held of [0, 1]) {
  const sentence =
    "a worker that comes back by another server in the middle of its loss stays, and so does what it took since";
  test(`${sentence}; it held ${held}`, async () => {
    let meanwhile: (() => Promise<void>) | null = null;
    const comesBack = async (): Promise<void> => {
      const act = meanwhile;
      meanwhile = null;
      await act?.();
    };
    const between = (inner: Store): Store => ({
      ...inner,
      async amend(scope, decide) {
        if (scope.heldBy !== undefined) await comesBack();
        return inner.amend(scope, decide);
      },
      async find(kind, query) {
        const answer = await inner.find(kind, query);
        if (kind === "held" && answer.length === 0) await comesBack();
        return answer;
      },
    });
    const losing = await world({ between });
    const other = await world({ store: losing.store, clock: losing.clock, source: 2 });
    const job = await losing.job();
    const worker = await losing.worker([job]);
    const before = held === 0 ? [] : [await losing.submit(job)];
    await losing.claim(worker);
    const { card } = await losing.submit(job);
    meanwhile = async () => {
      await registerAgain(other, worker, job);
      const taken = (await other.claim(worker, 2)).map((task) => task.card.id);
      assert.deepEqual(taken, [...before.map((task) => task.card.id), card.id]);
    };
    await losing.pass(6_000);
    assert.equal(meanwhile, null);
    assert.equal((await sessionOf(losing.store, worker))?.removedAt, null);
    assert.deepEqual(await losing.history(card.id), ["submitted", "assigned"]);
    for (const task of before) {
      assert.deepEqual(await losing.history(task.card.id), ["submitted", "assigned", "lost", "assigned"]);
    }
  });
}

test("a worker that comes back at the end of its day offline is not removed", async () => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  const between = (inner: Store): Store => ({
    ...inner,
    async find(kind, query) {
      const answer = await inner.find(kind, query);
      if (kind === "offline" && (answer as readonly string[]).length > 0) await meanwhile?.();
      return answer;
    },
  });
  const w = await world({ between });
  const job = await w.job();
  const workers = [await w.worker([job], { profile: "fleet" }), await w.worker([job], { profile: "fleet" })];
  const [back, briefly] = workers as [string, string];
  for (const worker of workers) await fence(w, worker);
  w.clock.advance(dayMs);
  meanwhile = async () => {
    for (const worker of workers) await registerAgain(w, worker, job, { profile: "fleet" });
    await fence(w, briefly);
  };
  await w.engine.sweeper.tick();
  assert.equal((await sessionOf(w.store, back))?.removedAt, null);
  assert.equal((await sessionOf(w.store, briefly))?.removedAt, null, "its next day has only begun");
});

test("nobody registers under the id of another owner's worker, not even after it is gone", async () => {
  const w = await world();
  const job = await w.job();
  const theirs = await w.worker([job], { owner: "ada" });
  const ours = await w.worker([job], { owner: null });
  const forbidden = (error: unknown) => error instanceof Problem && error.code === "forbidden";
  await assert.rejects(registerAgain(w, theirs, job, { owner: "mallory" }), forbidden);
  await assert.rejects(registerAgain(w, theirs, job, { owner: null }), forbidden);
  await assert.rejects(registerAgain(w, ours, job, { owner: "mallory" }), forbidden);
  assert.equal(w.engine.catalog.worker(theirs)?.owner, "ada");
  await w.engine.losing.remove(w.engine.catalog.worker(theirs) as WorkerRecord);
  await assert.rejects(registerAgain(w, theirs, job, { owner: "mallory" }), forbidden);
  assert.equal((await registerAgain(w, theirs, job, { owner: "ada" })).owner, "ada");
});

test("a job that went with its last worker is back with a worker that serves it", async () => {
  const w = await world();
  const name = "room:modifiers:Rare";
  const owned = { id: null, owner: "someone" };
  const { worker } = await w.engine.jobs.register({
    name,
    schema: {},
    source: "worker",
    replace: false,
    worker: owned,
  });
  await w.engine.losing.remove(worker as WorkerRecord);
  assert.equal(w.engine.catalog.job(name)?.deleted, true);
  const next = await w.worker([name]);
  assert.equal(w.engine.catalog.job(name)?.deleted, false);
  const { card } = await w.submit(name);
  assert.equal((await w.claim(next))[0]?.card.id, card.id);
});
