import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { noOrders } from "../../core/orders.ts";
import { Problem } from "../../core/problem.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import { type World, world } from "../../testing/world.ts";

const admin: Principal = { user: "root", token: "t-1", role: "admin", rooms: null, jobs: null };
const by = { who: admin, note: "the disk is full" };
const minute = 60_000;

const record = async (w: World, id: string): Promise<WorkerRecord> => {
  const [worker] = await w.store.read("workers", { ids: [id] });
  return worker as WorkerRecord;
};
const commandsOf = async (w: World, worker: string) =>
  (await w.store.read("commands", { worker, limit: 100, offset: 0 })).items;
const eventsOf = async (w: World, worker: string) =>
  (await w.store.read("workerEvents", { worker, limit: 100, offset: 0 })).items.map(({ type }) => type);
const auditOf = async (w: World) =>
  (await w.store.read("audit", { limit: 100, offset: 0 })).items.map(({ action, target, actor, note }) => ({
    ...{ action, target, actor, note },
  }));

/** Lets time pass while the workers go on beating. */
async function beating(w: World, workers: readonly string[], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    for (const worker of workers) await w.engine.beat(worker);
    await w.pass(Math.min(1_000, left));
  }
}

test("a paused worker gets nothing new, keeps what it has, and is told so in one commit with audit and history", async () => {
  const w = await world();
  const name = await w.job();
  const worker = await w.worker([name]);
  const first = await w.submit(name);
  const [held] = await w.claim(worker);
  await w.engine.control.pauseWorker(by, worker, null);
  await w.submit(name);
  assert.deepEqual(await w.claim(worker), []);
  const holder = { worker, attempt: held?.row.attempt ?? 0 };
  await w.engine.settle(first.card.id, holder, { type: "complete", result: null });
  assert.equal((await w.task(first.card.id)).row.state, "completed");
  const [command] = await commandsOf(w, worker);
  assert.deepEqual([command?.type, command?.by, command?.note], ["pause", "root", "the disk is full"]);
  assert.equal((await record(w, worker)).orders.latest, command?.id);
  assert.deepEqual((await eventsOf(w, worker)).slice(1), ["worker.paused"]);
  const line = { action: "worker.pause", target: worker, actor: "root", note: "the disk is full" };
  assert.deepEqual(await auditOf(w), [line]);
  await w.engine.control.resumeWorker({ who: admin, note: null }, worker);
  assert.equal((await w.claim(worker)).length, 1);
  assert.deepEqual((await eventsOf(w, worker)).slice(1), ["worker.paused", "worker.resumed"]);
});

test("a draining worker gets nothing new, and at the deadline what it holds goes to others, and counts against nobody", async () => {
  const w = await world();
  const name = await w.job();
  const [leaving, staying] = [await w.worker([name]), await w.worker([name])];
  const { card } = await w.submit(name);
  await w.claim(leaving);
  await w.engine.control.drainWorker(by, leaving, minute);
  await w.submit(name);
  assert.deepEqual(await w.claim(leaving), []);
  await beating(w, [leaving, staying], minute - 1_000);
  assert.equal((await w.task(card.id)).row.worker, leaving);
  await beating(w, [leaving, staying], 2_000);
  const { row } = await w.task(card.id);
  assert.deepEqual([row.state, row.worker, row.failures, row.losses], ["pending", null, 0, 0]);
  const { items } = await w.store.read("events", { task: card.id, limit: 10, offset: 0 });
  assert.deepEqual(items.at(-1)?.type, "task.released");
  assert.equal(JSON.parse(items.at(-1)?.data ?? "{}").reason, "drained");
  assert.deepEqual(await w.claim(leaving), [], "it stays drained");
  assert.equal((await w.claim(staying, 2)).length, 2);
  const { draining, orders } = await record(w, leaving);
  assert.deepEqual([draining, orders.drain?.isOver], [true, true]);
  await w.engine.control.resumeWorker(by, leaving);
  assert.equal((await record(w, leaving)).orders.drain, null);
  await w.submit(name);
  assert.equal((await w.claim(leaving)).length, 1);
});

test("a worker that says it is active, or comes back, drains on", async () => {
  const w = await world();
  const name = await w.job();
  const worker = await w.worker([name]);
  await w.engine.control.drainWorker(by, worker, null);
  await w.engine.workers.change(worker, { draining: false });
  assert.equal((await record(w, worker)).draining, true);
  await w.engine.workers.register({ id: worker, profile: "work", owner: "someone", jobs: new Map([[name, null]]) });
  assert.equal((await record(w, worker)).draining, true);
  await w.submit(name);
  assert.deepEqual(await w.claim(worker), []);
});

test("a worker with a limit holds no more than that, also where it waits for more", async () => {
  const w = await world();
  const name = await w.job();
  const worker = await w.worker([name]);
  for (let count = 0; count < 5; count += 1) await w.submit(name);
  await w.engine.control.limitWorker(by, worker, 2);
  const held = await w.claim(worker, 5);
  assert.equal(held.length, 2);
  const waiting = w.engine.claim({ worker, limit: 5, waitMs: 10_000, assign: true });
  await beating(w, [worker], 2_000);
  const [first] = held;
  await w.engine.settle(first?.card.id ?? "", { worker, attempt: 1 }, { type: "complete", result: null });
  await beating(w, [worker], 1_000);
  assert.equal((await waiting).length, 1);
  await w.engine.control.limitWorker(by, worker, null);
  assert.equal((await w.claim(worker, 5)).length, 2);
});

test("a claim that waits when the limit comes heeds it", async () => {
  const w = await world();
  const name = await w.job();
  const worker = await w.worker([name]);
  const waiting = w.engine.claim({ worker, limit: 5, waitMs: 10_000, assign: true });
  await w.pass(250);
  await w.engine.control.limitWorker(by, worker, 1);
  await w.pass(250);
  await w.engine.submit(Array(3).fill({ job: name, room: "@global", payload: "{}" }));
  await w.pass(250);
  assert.equal((await waiting).length, 1);
  assert.equal((await record(w, worker)).orders.concurrency?.value, 1);
});

test("an evicted task waits again at its old place, and neither a failure nor a loss is counted", async () => {
  const w = await world();
  const name = await w.job();
  const [worker, other] = [await w.worker([name]), await w.worker([name])];
  const { card } = await w.submit(name);
  await w.submit(name);
  await w.claim(worker);
  const evicted = await w.engine.evictions.evict(by, card.id);
  assert.deepEqual(evicted, { task: card.id, attempt: 1, worker });
  const { row } = await w.task(card.id);
  assert.deepEqual([row.state, row.failures, row.losses, row.runAt], ["pending", 0, 0, null]);
  assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "released"]);
  const late = w.engine.settle(card.id, { worker, attempt: 1 }, { type: "complete", result: null });
  await assert.rejects(late, (error: Problem) => error.code === "lease-lost");
  assert.equal((await w.claim(other))[0]?.card.id, card.id);
  const [command] = await commandsOf(w, worker);
  assert.deepEqual(JSON.parse(command?.args ?? "{}"), { task_id: card.id, attempt: 1 });
  assert.deepEqual((await auditOf(w))[0], { action: "task.evict", target: card.id, actor: "root", note: by.note });
});

test("what nobody holds cannot be evicted, and who is gone cannot be told anything", async () => {
  const w = await world();
  const name = await w.job();
  const { card } = await w.submit(name);
  const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected;
  await assert.rejects(w.engine.evictions.evict(by, card.id), code("invalid-task-transition"));
  const nobody = card.id;
  await assert.rejects(w.engine.control.pauseWorker(by, nobody, null), code("worker-not-found"));
  await assert.rejects(w.engine.control.drainWorker(by, nobody, null), code("worker-not-found"));
  assert.deepEqual(await auditOf(w), [], "what was not done is not told");
});

test("a task that went to a stranger's worker in the meantime is not taken from it", async () => {
  let meanwhile = async (): Promise<unknown> => null;
  const w = await world({
    between: (inner) => ({
      ...inner,
      async amend(scope, decide) {
        const act = scope.tasks === undefined ? async () => null : meanwhile;
        if (scope.tasks !== undefined) meanwhile = async () => null;
        await act();
        return inner.amend(scope, decide);
      },
    }),
  });
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const name = await w.job();
  const [mine, theirs] = [await w.worker([name], { owner: "ada" }), await w.worker([name], { owner: "bob" })];
  await other.engine.catalog.refresh();
  const { card } = await w.submit(name);
  await w.claim(mine);
  meanwhile = async () => {
    await other.engine.evictions.evict(by, card.id);
    assert.equal((await other.claim(theirs)).length, 1);
  };
  const ada = { who: { ...admin, user: "ada", role: "user" } as const, note: null };
  const forbidden = (error: unknown) => error instanceof Problem && error.code === "forbidden";
  await assert.rejects(w.engine.evictions.evict(ada, card.id), forbidden);
  assert.equal((await w.task(card.id)).row.worker, theirs);
  assert.equal((await auditOf(w)).length, 1);
  await other.stop();
});

test("a worker that hears no commands is acted upon all the same, and its command says so", async () => {
  const w = await world();
  const name = await w.job();
  const worker = await w.worker([name], { profile: "fleet" });
  await w.submit(name);
  await w.engine.control.pauseWorker(by, worker, null);
  assert.deepEqual(await w.claim(worker), []);
  const [command] = await commandsOf(w, worker);
  assert.match(command?.answer ?? "", /The server acts alone/);
  assert.notEqual(command?.ackedAt, null);
  assert.deepEqual(await w.engine.deliveries.open(await record(w, worker)), []);
});

test("evictions and deadlines count neither failures nor losses, however often they come", async () => {
  const w = await world();
  const name = await w.job("@global:modifiers:Fragile", { maxRequeues: 0, retry: { maxAttempts: 1 } });
  const worker = await w.worker([name]);
  const { card } = await w.submit(name);
  for (let round = 0; round < 6; round += 1) {
    const [task] = await w.claim(worker, 1, round % 2 === 0);
    assert.equal(task?.card.id, card.id);
    if (round % 3 === 0) await w.engine.control.drainWorker(by, worker, 0);
    else await w.engine.evictions.evict(by, card.id);
    await beating(w, [worker], 1_000);
    await w.engine.control.resumeWorker(by, worker);
  }
  const { row } = await w.task(card.id);
  assert.deepEqual([row.state, row.failures, row.losses, row.attempt], ["pending", 0, 0, 6]);
});

test("a worker without orders has none", async () => {
  const w = await world();
  assert.deepEqual((await record(w, await w.worker([await w.job()]))).orders, noOrders);
});
