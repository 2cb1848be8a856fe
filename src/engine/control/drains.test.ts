import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import { type World, world } from "../../testing/world.ts";

const admin: Principal = { user: "root", token: null, role: "admin", rooms: null, jobs: null };
const by = { who: admin, note: "new kernel" };
const minute = 60_000;

async function crewOf(w: World, name: string, count: number): Promise<string[]> {
  const workers: string[] = [];
  for (let nth = 0; nth < count; nth += 1) workers.push(await w.worker([name], { labels: { zone: "a" } }));
  return workers;
}

async function beating(w: World, workers: readonly string[], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    for (const worker of workers) await w.engine.beat(worker);
    await w.pass(Math.min(1_000, left));
  }
}

const drainingOf = (w: World, workers: readonly string[]): string[] =>
  workers.filter((id) => w.engine.catalog.worker(id)?.draining === true);

test("many workers drain some at a time: the next begins when one holds nothing any more", async () => {
  const w = await world();
  const name = await w.job();
  const workers = await crewOf(w, name, 4);
  const [first = "", second = "", third = "", fourth = ""] = workers;
  const held = new Map<string, string>();
  for (const worker of workers) {
    const { card } = await w.submit(name);
    await w.claim(worker);
    held.set(worker, card.id);
  }
  const request = { label: "zone=a", atATime: 2, deadlineMs: 10 * minute, workers };
  const plan = await w.engine.drains.begin(by, request);
  assert.deepEqual([plan.draining, plan.waiting, plan.done], [[first, second], [third, fourth], []]);
  await beating(w, workers, 3_000);
  assert.deepEqual(drainingOf(w, workers), [first, second], "nobody is through");
  await w.engine.settle(held.get(second) ?? "", { worker: second, attempt: 1 }, { type: "complete", result: null });
  await beating(w, workers, 3_000);
  assert.deepEqual(drainingOf(w, workers), [first, second, third]);
  const [now] = await w.engine.drains.list();
  assert.deepEqual([now?.draining, now?.waiting, now?.done], [[first, third], [fourth], [second]]);
  for (const worker of [first, third]) {
    await w.engine.settle(held.get(worker) ?? "", { worker, attempt: 1 }, { type: "complete", result: null });
  }
  await beating(w, workers, 3_000);
  assert.deepEqual(drainingOf(w, workers), workers);
  await beating(w, workers, 10 * minute);
  assert.deepEqual(await w.engine.drains.list(), [], "the deadline took the last task, so it is through");
  const { row } = await w.task(held.get(fourth) ?? "");
  assert.deepEqual([row.state, row.failures, row.losses], ["pending", 0, 0]);
  const { items } = await w.store.read("audit", { kind: "drain", limit: 10, offset: 0 });
  assert.deepEqual(
    items.map(({ action, actor, note }) => `${action} ${actor}: ${note}`),
    ["drain.finish root: new kernel", "drain.begin root: new kernel"],
  );
});

test("idle workers drain one after the other as well, and one that is gone keeps nobody waiting", async () => {
  const w = await world();
  const name = await w.job();
  const workers = await crewOf(w, name, 5);
  const gone = w.engine.catalog.worker(workers[2] as string);
  if (gone !== undefined) await w.engine.losing.remove(gone);
  const living = workers.filter((id) => id !== gone?.id);
  const plan = await w.engine.drains.begin(by, { label: "zone=a", atATime: 2, deadlineMs: null, workers });
  const [first, second, third, fourth, fifth] = workers;
  assert.deepEqual([plan.draining, plan.waiting, plan.done], [[first, second], [fourth, fifth], [third]]);
  await beating(w, living, 3_000);
  const [later] = await w.engine.drains.list();
  assert.deepEqual([later?.draining, later?.waiting, later?.done], [[fourth, fifth], [], [third, first, second]]);
  await beating(w, living, 4_000);
  assert.deepEqual(await w.engine.drains.list(), []);
  assert.deepEqual(drainingOf(w, workers), living);
});

test("a server that knows of old how the workers were drains nobody before the turn", async () => {
  const leader = await world();
  const other = await world({ store: leader.store, clock: leader.clock, source: 2 });
  const name = await leader.job();
  const workers = await crewOf(leader, name, 3);
  for (const worker of workers) {
    await leader.submit(name);
    await leader.claim(worker);
  }
  await other.engine.catalog.refresh();
  const [first, second, third] = workers;
  await other.engine.drains.begin(by, { label: "zone=a", atATime: 1, deadlineMs: null, workers });
  assert.deepEqual(drainingOf(leader, workers), [], "it has not heard of it");
  await leader.engine.drains.carryOn();
  const plan = async () => (await leader.engine.drains.list())[0];
  const still = await plan();
  assert.deepEqual([still?.draining, still?.waiting, still?.done], [[first], [second, third], []]);
  await other.engine.control.resumeWorker(by, first as string);
  await leader.engine.catalog.refresh();
  await leader.engine.drains.carryOn();
  const later = await plan();
  assert.deepEqual([later?.draining, later?.waiting, later?.done], [[second], [third], [first]]);
  await other.stop();
});

test("a worker that was given a task by a server which had not heard of the drain is waited for", async () => {
  const leader = await world();
  // It hears of nothing but by its pulse.
  const other = await world({ store: leader.store, clock: leader.clock, source: 2 });
  const name = await leader.job();
  const workers = await crewOf(leader, name, 2);
  const [first = "", second = ""] = workers;
  const { card } = await leader.submit(name);
  await other.engine.catalog.refresh();
  await leader.engine.drains.begin(by, { label: "zone=a", atATime: 1, deadlineMs: null, workers });
  await leader.engine.drains.carryOn();
  assert.equal((await other.claim(first)).length, 1);
  await beating(leader, workers, 5_000);
  const [plan] = await leader.engine.drains.list();
  assert.deepEqual([plan?.draining, plan?.waiting], [[first], [second]]);
  await leader.engine.settle(card.id, { worker: first, attempt: 1 }, { type: "complete", result: null });
  await beating(leader, workers, 2_000);
  assert.deepEqual(drainingOf(leader, workers), workers);
  await other.stop();
});

test("a plan for many workers takes few transactions at a time, also where most of them are idle or gone", async () => {
  let steps = 0;
  const w = await world({
    between: (inner) => ({
      ...inner,
      amend(scope, decide) {
        steps += Number(scope.outbox !== undefined);
        return inner.amend(scope, decide);
      },
    }),
  });
  const name = await w.job();
  const workers = await crewOf(w, name, 60);
  const [busy = "", next = "", ...others] = workers;
  const { card } = await w.submit(name);
  await w.claim(busy);
  await w.engine.drains.begin(by, { label: "zone=a", atATime: 1, deadlineMs: null, workers });
  for (const id of others.slice(0, 50)) await w.engine.losing.remove(w.engine.catalog.worker(id) as WorkerRecord);
  const living = [busy, next, ...others.slice(50)];
  await beating(w, living, 3_000);
  assert.equal(steps, 1, "while the first is busy there is nothing to do");
  await w.engine.settle(card.id, { worker: busy, attempt: 1 }, { type: "complete", result: null });
  await beating(w, living, 3 * living.length * 1_000);
  assert.deepEqual(await w.engine.drains.list(), []);
  assert.deepEqual(drainingOf(w, workers), living);
  assert.ok(steps <= living.length + 2, `${steps} steps`);
});

test("a plan that is stopped drains nobody else, and is not stopped twice", async () => {
  const w = await world();
  const name = await w.job();
  const workers = await crewOf(w, name, 2);
  for (const worker of workers) {
    await w.submit(name);
    await w.claim(worker);
  }
  const { id } = await w.engine.drains.begin(by, { label: "zone=a", atATime: 1, deadlineMs: minute, workers });
  assert.equal((await w.engine.drains.stop(by, id)).waiting.length, 1);
  await assert.rejects(w.engine.drains.stop(by, id), (error: Problem) => error.code === "drain-not-found");
  await beating(w, workers, 2 * minute);
  assert.deepEqual(drainingOf(w, workers), [workers[0]]);
});

test("a plan goes on after its server is gone", async () => {
  const w = await world();
  const { store, clock } = w;
  const name = await w.job();
  const workers = await crewOf(w, name, 2);
  for (const worker of workers) {
    await w.submit(name);
    await w.claim(worker);
  }
  await w.engine.drains.begin(by, { label: "zone=a", atATime: 1, deadlineMs: minute, workers });
  await w.stop();
  const next = await world({ store, clock, source: 2 });
  await beating(next, workers, 2 * minute + 5_000);
  assert.deepEqual(drainingOf(next, workers), workers);
  assert.deepEqual(await next.engine.drains.list(), []);
  assert.equal((await next.store.find("held", { workers, limit: 10 })).length, 0);
});

test("a worker that does not acknowledge is told until the command expires, and not after", async () => {
  const w = await world();
  const worker = await w.worker([await w.job()], { profile: "rest" });
  await w.engine.control.pauseWorker(by, worker, null);
  const open = () => w.engine.deliveries.open(w.engine.catalog.worker(worker) as WorkerRecord);
  assert.equal((await open()).length, 1);
  const [first] = (await w.store.read("commands", { worker, limit: 1, offset: 0 })).items;
  await beating(w, [worker], 30_000);
  assert.equal((await open()).length, 1);
  const [later] = (await w.store.read("commands", { worker, limit: 1, offset: 0 })).items;
  assert.equal(later?.deliveredAt, first?.deliveredAt, "it was delivered once");
  w.clock.advance(2 * 60 * minute);
  assert.deepEqual(await open(), []);
});

test("a worker that has obeyed costs nothing, however often it beats", async () => {
  let asked = 0;
  const w = await world({
    between: (inner) => ({
      ...inner,
      find(kind, query) {
        asked += Number(kind === "commands");
        return inner.find(kind, query);
      },
    }),
  });
  const worker = await w.worker([await w.job()], { profile: "rest" });
  const open = () => w.engine.deliveries.open(w.engine.catalog.worker(worker) as WorkerRecord);
  await open();
  assert.equal(asked, 0, "nobody ever told it anything");
  await w.engine.control.pauseWorker(by, worker, null);
  for (const { id } of await open()) await w.engine.deliveries.acknowledge(worker, id, { ok: true, detail: null });
  for (let beat = 0; beat < 10; beat += 1) assert.deepEqual(await open(), []);
  assert.equal(asked, 2);
});

test("only the worker that was told may acknowledge, and its first word counts", async () => {
  const w = await world();
  const name = await w.job();
  const [worker, other] = [await w.worker([name]), await w.worker([name])];
  await w.engine.control.pauseWorker(by, worker, null);
  const [command] = (await w.store.read("commands", { worker, limit: 1, offset: 0 })).items;
  const id = command?.id ?? "";
  const { acknowledge } = w.engine.deliveries;
  await assert.rejects(acknowledge(other, id, { ok: true, detail: null }), (error: unknown) => {
    return error instanceof Problem && error.code === "command-not-found";
  });
  await acknowledge(worker, id, { ok: false, detail: "I do not want to" });
  const second = await acknowledge(worker, id, { ok: true, detail: null });
  assert.equal(second.answer, '{"ok":false,"detail":"I do not want to"}');
});

test("more drains than are looked after are refused, and not said to be done", async () => {
  const w = await world();
  const name = await w.job();
  const workers = await crewOf(w, name, 1);
  await w.submit(name);
  await w.claim(workers[0] as string);
  const request = { label: "zone=a", atATime: 1, deadlineMs: null, workers };
  for (let plans = 0; plans < 100; plans += 1) await w.engine.drains.begin(by, request);
  await assert.rejects(w.engine.drains.begin(by, request), { code: "rate-limited" });
  assert.equal((await w.engine.drains.list()).length, 100);
  await w.stop();
});
