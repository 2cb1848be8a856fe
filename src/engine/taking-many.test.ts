import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { TaskRecord, WorkerRecord } from "../ports/records.ts";
import type { Schemas } from "../ports/schemas.ts";
import { settled, type World, type WorldOptions, world } from "../testing/world.ts";

async function scene(words: Partial<WorkerRecord> = {}, options: WorldOptions = {}) {
  const w = await world(options);
  const job = await w.job();
  const worker = await w.worker([job], { profile: "amqp", ...words });
  const submit = async (count: number): Promise<string[]> => {
    const tasks = await Promise.all(Array.from({ length: count }, () => w.submit(job)));
    return tasks.map(({ card }) => card.id);
  };
  const take = async (ids: readonly string[], by = worker) =>
    (await w.engine.takeMany({ ids, worker: by, assign: false })).map(({ card }) => card.id);
  return { w, job, worker, submit, take };
}

/** Admits nothing that the schema with a word in it does not. */
const strict: Schemas = {
  check() {},
  validator: (text) => () => (text === "{}" ? [] : [{ pointer: "", detail: "is not admitted" }]),
};

async function stateOf(w: World, id: string): Promise<string> {
  return (await w.task(id)).row.state;
}

test("tasks that a worker behind a broker claims by their ids run at once, each with a lease of its own", async () => {
  const { w, worker, submit } = await scene();
  const ids = await submit(3);
  const taken = await w.engine.takeMany({ ids, worker, assign: false });
  assert.deepEqual(
    taken.map(({ card, row, payload }) => [card.id, row.state, row.attempt, row.worker, payload]),
    ids.map((id) => [id, "running", 1, worker, "{}"]),
  );
  for (const { card, row } of taken) {
    assert.equal(row.leasedUntil, w.clock.now() + 120_000);
    assert.deepEqual(await w.history(card.id), ["submitted", "assigned"]);
    assert.deepEqual((await w.task(card.id)).row, row);
  }
});

test("a worker of another door claims them and says itself when it starts, unless it asks otherwise", async () => {
  const { w, worker, submit, take } = await scene({ profile: "rest" });
  const [first, second] = (await submit(2)) as [string, string];
  assert.deepEqual(await take([first]), [first]);
  assert.equal(await stateOf(w, first), "claimed");
  await w.engine.takeMany({ ids: [second], worker, assign: true });
  assert.equal(await stateOf(w, second), "running");
});

test("what is missing, taken, over or waits for its time is left out without a word", async () => {
  const { w, job, worker, submit, take } = await scene();
  const [free, held, over] = (await submit(3)) as [string, string, string];
  await take([held]);
  await w.engine.cancel({ id: over, actor: null });
  const later = await w.submit(job, { runAt: w.clock.now() + 60_000 });
  const nobody = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";
  assert.deepEqual(await take([nobody, held, over, later.card.id, free, free]), [free]);
  assert.deepEqual((await w.task(held)).row.attempt, 1);
  assert.deepEqual((await w.task(free)).row.worker, worker);
});

test("of many who hear of the same task, one gets it, on one server or on two", async () => {
  const { w, job, submit } = await scene();
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const workers = await Promise.all([1, 2, 3, 4].map(() => w.worker([job], { profile: "amqp" })));
  const ids = await submit(20);
  const takes = workers.map((worker, n) => (n % 2 === 0 ? w : other).engine.takeMany({ ids, worker, assign: false }));
  const all = (await Promise.all(takes)).flat().map(({ card }) => card.id);
  assert.deepEqual(all.sort(), [...ids].sort());
  for (const id of ids) assert.deepEqual(await w.history(id), ["submitted", "assigned"]);
});

test("a task that has changed between the look and the commit, and is still there, is taken", async () => {
  let late: (() => Promise<unknown>) | null = null;
  const { w, submit, take } = await scene(
    {},
    {
      between: (store) => ({
        ...store,
        async exchange(writes, demands, now) {
          const meanwhile = late;
          late = null;
          await meanwhile?.();
          return store.exchange(writes, demands, now);
        },
      }),
    },
  );
  const [id] = (await submit(1)) as [string];
  late = () => w.engine.count(id, [{ index: 0, failed: false, error: null }]);
  assert.deepEqual(await take([id]), [id]);
  assert.deepEqual(await w.history(id), ["submitted", "counted", "assigned"]);
});

test("a paused, a draining or a full worker gets nothing, and one that is gone is told so", async () => {
  const { w, job, submit, take } = await scene();
  const ids = await submit(3);
  const draining = await w.worker([job], { profile: "amqp", draining: true });
  const paused = await w.worker([job], { profile: "amqp", paused: true });
  assert.deepEqual([await take(ids, draining), await take(ids, paused)], [[], []]);
  const strange = await w.worker([await w.job("@global:modifiers:Other")], { profile: "amqp" });
  assert.deepEqual(await take(ids, strange), []);
  const gone = take(ids, "01993d6c-7a10-7000-8000-3f5b6c1d2e3f");
  await assert.rejects(gone, (error) => error instanceof Problem && error.code === "worker-not-found");
});

test("a worker that may hold only so many gets no more than that", async () => {
  const { w, worker, submit, take } = await scene();
  const who = { user: "someone", role: "user", rooms: null, jobs: null, token: null } as const;
  await w.engine.control.limitWorker({ who, note: null }, worker, 2);
  assert.equal((await take(await submit(5))).length, 2);
  assert.equal((await take(await submit(1))).length, 0);
});

test("where only so many of a kind may run, no more are taken by their ids, on one server or on two", async () => {
  const { w, job, worker, submit, take } = await scene();
  const ids = await submit(8);
  const [lane] = w.engine.catalog.lanesOfJob(job) as [number];
  await w.engine.lanes.setLimits(lane, { paused: false, maxRunning: 3 });
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const takes = [w, other, w].map((each) => each.engine.takeMany({ ids, worker, assign: false }));
  const taken = (await Promise.all(takes)).flat().map(({ card }) => card.id);
  assert.equal(taken.length, 3);
  assert.deepEqual(await take(ids), []);
  const [left] = ids.filter((id) => !taken.includes(id)) as [string];
  await assert.rejects(w.engine.take(left, worker), /As many tasks of the kind of task/);
  await w.engine.settle(taken[0] as string, { worker, attempt: 1 }, { type: "complete", result: null });
  assert.deepEqual(await take([left]), [left]);
  assert.deepEqual(await w.history(left), ["submitted", "assigned"]);
});

test("a task of a lane that this server has not heard of is taken all the same", async () => {
  const { w, job, worker } = await scene();
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const { card } = (await other.submit(job, { queue: "fresh" })) as TaskRecord;
  const taken = await w.engine.takeMany({ ids: [card.id], worker, assign: false });
  assert.deepEqual(
    taken.map((each) => each.card.id),
    [card.id],
  );
});

test("a payload that a new spec refuses goes back and waits, and nothing is counted against it", async () => {
  const { w, job, submit, take } = await scene({}, { schemas: strict });
  const [id] = (await submit(1)) as [string];
  await w.job(job, {}, { type: "object", required: ["angle"] });
  assert.deepEqual(await take([id]), []);
  await settled();
  const { row } = await w.task(id);
  assert.deepEqual([row.state, row.failures, row.losses], ["pending", 0, 0]);
  assert.ok((row.runAt ?? 0) > w.clock.now());
});

test("what was claimed by its id is settled by the short way", async () => {
  const { w, worker, submit, take } = await scene();
  const ids = await submit(2);
  await take(ids);
  const answers = await new Promise<unknown[]>((resolve) => {
    const told: unknown[] = [];
    const endings = ids.map((task) => ({ task, attempt: 1, move: { type: "complete", result: null } as const }));
    w.engine.concludeAll(worker, endings, (_, refusal) => {
      told.push(refusal);
      if (told.length === ids.length) resolve(told);
    });
  });
  assert.deepEqual(answers, [null, null]);
  for (const id of ids) assert.deepEqual(await w.history(id), ["submitted", "assigned", "completed"]);
});

test("what was claimed is told though those that changed meanwhile cannot be looked at again", async () => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  let isAway = false;
  const between: NonNullable<WorldOptions["between"]> = (store) => ({
    ...store,
    async read(kind, query) {
      if (isAway && kind === "tasks") throw new Problem("store-unavailable", "The database is away");
      return store.read(kind, query);
    },
    async exchange(...asked) {
      await meanwhile?.();
      return store.exchange(...asked);
    },
  });
  const { w, submit, take } = await scene({}, { between });
  const [first, second] = (await submit(2)) as [string, string];
  meanwhile = async () => {
    meanwhile = null;
    await w.engine.count(second, [{ index: 0, failed: false, error: null }]);
    isAway = true;
  };
  assert.deepEqual(await take([first, second]), [first]);
  isAway = false;
  assert.deepEqual([await stateOf(w, first), await stateOf(w, second)], ["running", "pending"]);
});
