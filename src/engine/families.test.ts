import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { TaskRecord } from "../ports/records.ts";
import { rowsMax } from "../ports/store.ts";
import { type World, world } from "../testing/world.ts";

const failure = { message: "no", code: null, details: null };
const done = { type: "complete", result: null } as const;

async function family(w: World, children: number): Promise<{ worker: string; parent: TaskRecord; kids: TaskRecord[] }> {
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const parent = await w.submit(job);
  await w.claim(worker, 1);
  const requests = Array.from({ length: children }, () => ({
    job,
    room: "@global",
    payload: "{}",
    parent: parent.card.id,
  }));
  const kids = [...(await w.engine.submit(requests))];
  return { worker, parent, kids };
}

async function finish(w: World, worker: string, outcomes: readonly boolean[]): Promise<void> {
  for (const ok of outcomes) {
    const [task] = await w.claim(worker, 1);
    const holder = { worker, attempt: task?.row.attempt as number };
    await w.engine.settle(task?.card.id as string, holder, ok ? done : { type: "fail", error: failure });
  }
}

test("a deferred parent completes when its last child has", async () => {
  const w = await world();
  const { worker, parent } = await family(w, 3);
  await w.engine.settle(parent.card.id, { worker, attempt: 1 }, { type: "defer", total: 3 });
  await finish(w, worker, [true, true]);
  assert.equal((await w.task(parent.card.id)).row.state, "running");
  await finish(w, worker, [true]);
  assert.equal((await w.task(parent.card.id)).row.state, "completed");
});

test("children that are faster than their parent's deferral are counted", async () => {
  const w = await world();
  const { worker, parent } = await family(w, 2);
  await finish(w, worker, [true, true]);
  await w.engine.settle(parent.card.id, { worker, attempt: 1 }, { type: "defer", total: 2 });
  assert.equal((await w.task(parent.card.id)).row.state, "completed");
});

test("a parent fails when all its children did, and when only some did", async () => {
  const w = await world();
  const all = await family(w, 2);
  await w.engine.settle(all.parent.card.id, { worker: all.worker, attempt: 1 }, { type: "defer", total: 2 });
  await finish(w, all.worker, [false, false]);
  assert.equal((await w.task(all.parent.card.id)).outcome?.error?.code, "AllChildrenFailed");
  const some = await family(w, 2);
  await w.engine.settle(some.parent.card.id, { worker: some.worker, attempt: 1 }, { type: "defer", total: 2 });
  await finish(w, some.worker, [true, false]);
  assert.equal((await w.task(some.parent.card.id)).outcome?.error?.code, "PartialChildFailure");
});

test("a parent that its children closed counts on its own parent", async () => {
  const w = await world();
  const { worker, parent, kids } = await family(w, 1);
  await w.engine.settle(parent.card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  const [child] = kids as [TaskRecord];
  await w.claim(worker, 1);
  const grandchild = await w.submit("@global:modifiers:Rotate", { parent: child.card.id });
  await w.engine.settle(child.card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  await finish(w, worker, [true]);
  assert.equal((await w.task(grandchild.card.id)).row.state, "completed");
  assert.equal((await w.task(child.card.id)).row.state, "completed");
  await w.pass(2_000);
  assert.equal((await w.task(parent.card.id)).row.state, "completed");
});

test("a count that two sweeps find at once is added once", async () => {
  const w = await world();
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const { worker, parent, kids } = await family(w, 2);
  await w.engine.settle(parent.card.id, { worker, attempt: 1 }, { type: "defer", total: 2 });
  const [child] = (await w.claim(worker, 1)) as [TaskRecord];
  await w.submit("@global:modifiers:Rotate", { parent: child.card.id });
  await w.engine.settle(child.card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  const [, grandchild] = (await w.claim(worker, 2)) as [TaskRecord, TaskRecord];
  await w.engine.settle(grandchild.card.id, { worker, attempt: 1 }, done);
  assert.equal((await w.task(child.card.id)).row.state, "completed");
  await Promise.all([w.engine.sweeper.tick(), other.engine.sweeper.tick()]);
  const { row } = await w.task(parent.card.id);
  assert.deepEqual([row.state, row.children?.done], ["running", 1]);
  assert.equal((await w.task(kids[1]?.card.id as string)).row.state, "running");
});

/** A coordinator whose first worker fell silent after it had submitted its children; another has taken it up again. */
async function taken(w: World, before: (job: string, parent: string, second: string) => Promise<void>) {
  const job = await w.job();
  const first = await w.worker([job]);
  const { card } = await w.submit(job);
  await w.claim(first, 1);
  const second = await w.worker([job]);
  await before(job, card.id, second);
  for (let beat = 0; beat < 8; beat += 1) {
    await w.engine.beat(second);
    await w.pass(1_000);
  }
  const [again] = await w.claim(second, 1);
  assert.deepEqual([again?.card.id, again?.row.attempt], [card.id, 2]);
  return { job, parent: card.id, worker: second };
}

test("a coordinator that starts anew and submits the same children again ends when they have", async () => {
  const w = await world();
  const child = async (job: string, parent: string, key: string): Promise<string> => {
    const request = { job, room: "@global", payload: "{}", parent };
    const [task] = await w.engine.submit([request], { key: { scope: "s", key, bodyHash: key } });
    return task?.card.id as string;
  };
  const { job, parent, worker } = await taken(w, async (job, parent, second) => {
    const one = await child(job, parent, "one");
    await child(job, parent, "two");
    await w.claim(second, 1);
    await w.engine.settle(one, { worker: second, attempt: 1 }, done);
  });
  await child(job, parent, "one");
  const two = await child(job, parent, "two");
  await w.engine.settle(parent, { worker, attempt: 2 }, { type: "defer", total: 2 });
  await w.claim(worker, 1);
  assert.equal((await w.task(parent)).row.state, "running");
  await w.engine.settle(two, { worker, attempt: 1 }, done);
  assert.equal((await w.task(parent)).row.state, "completed");
});

test("children of a lost attempt do not close its successor while others are open", async () => {
  const w = await world();
  const old: string[] = [];
  const { job, parent, worker } = await taken(w, async (job, parent, second) => {
    for (let n = 0; n < 2; n += 1) old.push((await w.submit(job, { parent })).card.id);
    await w.claim(second, 2);
  });
  const fresh = [await w.submit(job, { parent }), await w.submit(job, { parent })];
  await w.engine.settle(parent, { worker, attempt: 2 }, { type: "defer", total: 2 });
  for (const id of old) await w.engine.settle(id, { worker, attempt: 1 }, done);
  assert.equal((await w.task(parent)).row.state, "running", "two have been counted, two are open");
  await w.claim(worker, 2);
  const ends = fresh.map(({ card }) => w.engine.settle(card.id, { worker, attempt: 1 }, done));
  await Promise.all(ends);
  assert.equal((await w.task(parent)).row.state, "completed", "children that end together leave none open");
});

test("a coordinator whose counted children suffice waits for the open ones, whenever it defers", async () => {
  const w = await world();
  const { worker, parent } = await family(w, 2);
  await finish(w, worker, [true]);
  await w.engine.settle(parent.card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  assert.equal((await w.task(parent.card.id)).row.state, "running");
  await finish(w, worker, [true]);
  assert.equal((await w.task(parent.card.id)).row.state, "completed");
});

test("a coordinator that waits only for children closed by their own ends with the last of them", async () => {
  const w = await world();
  const { worker, parent } = await family(w, 2);
  await w.engine.settle(parent.card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  const middle = await w.claim(worker, 2);
  for (const { card } of middle) {
    await w.submit("@global:modifiers:Rotate", { parent: card.id });
    await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "defer", total: 1 });
  }
  await finish(w, worker, [true]);
  await w.pass(2_000);
  const { row } = await w.task(parent.card.id);
  assert.deepEqual([row.state, row.children?.done], ["running", 1]);
  await finish(w, worker, [true]);
  await w.pass(2_000);
  assert.equal((await w.task(parent.card.id)).row.state, "completed");
});

test("a cancel takes everything below with it, at every depth and in any number", async () => {
  const w = await world();
  const { worker, parent, kids } = await family(w, rowsMax - 1);
  await w.engine.submit([{ job: "@global:modifiers:Rotate", room: "@global", payload: "{}", parent: parent.card.id }]);
  const grandchild = await w.submit("@global:modifiers:Rotate", { parent: kids[0]?.card.id as string });
  const { children } = await w.engine.cancel({ id: parent.card.id, actor: "someone" });
  assert.equal(children, rowsMax + 1);
  assert.equal((await w.task(grandchild.card.id)).row.state, "cancelled");
  assert.deepEqual(await w.claim(worker, 10), []);
  assert.deepEqual(await w.store.find("outbox", { kind: "cascade", limit: 10 }), []);
});

test("a cancel reaches the children by every way it is asked for", async () => {
  const w = await world();
  const cancel = { type: "cancel", reason: "enough" } as const;
  const overridden = await family(w, 2);
  await w.engine.override(overridden.parent.card.id, "root", cancel);
  const settled = await family(w, 2);
  const stranger = { worker: overridden.worker, attempt: 1 };
  await assert.rejects(
    w.engine.settle(settled.parent.card.id, stranger, cancel),
    (error: unknown) => error instanceof Problem && error.code === "lease-lost",
  );
  await w.engine.settle(settled.parent.card.id, { worker: settled.worker, attempt: 1 }, cancel);
  for (const { card } of [...overridden.kids, ...settled.kids]) {
    assert.equal((await w.task(card.id)).row.state, "cancelled");
  }
  const { items } = await w.store.read("events", { task: overridden.parent.card.id, limit: 9, offset: 2 });
  assert.deepEqual(items[0]?.data, '{"reason":"enough","actor":"root"}');
});

test("a cascade that was cut short is finished by the sweep", async () => {
  const w = await world();
  const { parent, kids } = await family(w, 3);
  const item = { id: parent.card.id, kind: "cascade", key: parent.card.id, data: null, at: w.clock.now() };
  await w.store.amend({}, () => ({ answer: null, outbox: [item] }));
  await w.engine.sweeper.tick();
  for (const kid of kids) assert.equal((await w.task(kid.card.id)).row.state, "cancelled");
});

test("a child whose parent was cancelled between claim and start is cancelled, not run", async () => {
  const w = await world();
  const { worker, parent } = await family(w, 1);
  const [child] = await w.claim(worker, 1, false);
  const id = child?.card.id as string;
  await w.engine.cancel({ id: parent.card.id, actor: null });
  await assert.rejects(w.engine.settle(id, { worker, attempt: 1 }, { type: "start" }), Problem);
  assert.equal((await w.task(id)).row.state, "cancelled");
});

test("a final task takes no more children", async () => {
  const w = await world();
  const { parent } = await family(w, 0);
  await w.engine.cancel({ id: parent.card.id, actor: null });
  await assert.rejects(
    w.submit("@global:modifiers:Rotate", { parent: parent.card.id }),
    (error: unknown) => error instanceof Problem && error.code === "parent-closed",
  );
});

test("cancelling twice is refused the second time, and changes nothing", async () => {
  const w = await world();
  const { parent } = await family(w, 0);
  await w.engine.cancel({ id: parent.card.id, actor: null });
  await assert.rejects(
    w.engine.cancel({ id: parent.card.id, actor: null }),
    (error: unknown) => error instanceof Problem && error.code === "invalid-task-transition",
  );
  assert.deepEqual(await w.history(parent.card.id), ["submitted", "assigned", "cancelled"]);
});
