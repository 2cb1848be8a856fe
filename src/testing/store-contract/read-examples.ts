import assert from "node:assert/strict";
import { refusalsMax } from "../../core/task-event.ts";
import { type PageQuery, type Position, positionMax, type TaskFilter, totalMax } from "../../ports/store-reads.ts";
import { aLogLine, aRefusal, aTask, aWorkerEvent, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { complete, type Example, ids, type Stage, start } from "./stage.ts";

const now = worldStart + 50;
const all: PageQuery = { limit: 100, offset: 0 };

export function readExamples(example: Example): void {
  example("tasks are read in the order asked for, without those that do not exist", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const tasks = await stage.store.read("tasks", { ids: [3, 99, 1].map(taskId) });
    assert.deepEqual(ids(tasks), [taskId(3), taskId(1)]);
    assert.deepEqual(await stage.store.read("tasks", { ids: [] }), []);
  });

  example("a list of tasks has the newest first, in pages, with the total", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[3, 1, 5, 2, 4].map((n) => aTask({ id: taskId(n), lane })));
    const page = async (limit: number, offset: number) => {
      const { items, ...total } = await stage.store.read("taskList", { limit, offset });
      assert.deepEqual(total, { total: 5, totalExact: true });
      return ids(items);
    };
    assert.deepEqual(await page(2, 0), [5, 4].map(taskId));
    assert.deepEqual(await page(2, 2), [3, 2].map(taskId));
    assert.deepEqual(await page(2, 4), [taskId(1)]);
    assert.deepEqual(await page(2, 5), []);
  });

  example("a list of tasks is narrowed by room, lane, state, parent and worker, alone and together", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    await stage.worker(2);
    await stage.submit(
      aTask({ id: taskId(1), lane: a, room: "x" }),
      aTask({ id: taskId(2), lane: b, room: "y" }),
      aTask({ id: taskId(3), lane: a, room: "z", runAt: now + 1_000 }),
    );
    await stage.submit(
      aTask({ id: taskId(4), lane: a, room: "x", parent: taskId(1) }),
      aTask({ id: taskId(5), lane: b, room: "y", parent: taskId(1) }),
    );
    const [one, four] = await stage.claims([a], { limit: 2, worker: workerId(1) }, now);
    const two = await stage.claim(b, { worker: workerId(2) }, now);
    assert(one && four);
    await stage.settle(four, [start, complete], now);
    await stage.settle(two, [start], now);
    const list = async (filter: TaskFilter) => {
      const { items, total } = await stage.store.read("taskList", { ...filter, ...all });
      assert.equal(total, items.length);
      return items.map((task) => [1, 2, 3, 4, 5].find((n) => taskId(n) === task.card.id));
    };
    assert.deepEqual(await list({ rooms: ["x"] }), [4, 1]);
    assert.deepEqual(await list({ rooms: ["x", "z"] }), [4, 3, 1]);
    assert.deepEqual(await list({ rooms: [] }), []);
    assert.deepEqual(await list({ lanes: [b] }), [5, 2]);
    assert.deepEqual(await list({ lanes: [b, a] }), [5, 4, 3, 2, 1]);
    assert.deepEqual(await list({ lanes: [] }), []);
    assert.deepEqual(await list({ state: "pending" }), [5, 3]);
    assert.deepEqual(await list({ state: "claimed" }), [1]);
    assert.deepEqual(await list({ state: "running" }), [2]);
    assert.deepEqual(await list({ state: "completed" }), [4]);
    assert.deepEqual(await list({ state: "failed" }), []);
    assert.deepEqual(await list({ parent: taskId(1) }), [5, 4]);
    assert.deepEqual(await list({ parent: taskId(2) }), []);
    assert.deepEqual(await list({ worker: workerId(1) }), [4, 1], "in its hands, or ended in them");
    assert.deepEqual(await list({ worker: workerId(2) }), [2]);
    assert.deepEqual(await list({ rooms: ["x"], state: "claimed", worker: workerId(1), lanes: [a] }), [1]);
    assert.deepEqual(await list({ rooms: ["y"], state: "pending", parent: taskId(1), lanes: [a, b] }), [5]);
    assert.deepEqual(await list({ rooms: ["z"], parent: taskId(1) }), []);
  });

  example("a total is exact up to ten thousand, and says so when it is not", async (stage) => {
    const lane = await stage.begin();
    await submitMany(stage, lane, 0, totalMax);
    const total = async () => {
      const { items, ...rest } = await stage.store.read("taskList", { limit: 1, offset: 0 });
      assert.equal(items.length, 1);
      return rest;
    };
    assert.deepEqual(await total(), { total: totalMax, totalExact: true });
    await stage.submit(aTask({ id: taskId(totalMax), lane }));
    const beyond = await total();
    assert.equal(beyond.totalExact, false);
    assert(beyond.total >= totalMax);
  });

  example("events are read oldest first, in pages", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const task = await stage.claim(lane, {}, now);
    await stage.settle(task, [start, { type: "progress", progress: { current: 1, total: null, message: "µ" } }], now);
    const page = async (limit: number, offset: number) => {
      const { items, ...rest } = await stage.store.read("events", { task: taskId(1), limit, offset });
      assert.deepEqual(rest, { total: 4, totalExact: true, refusals: [] });
      return items.map((event) => event.version);
    };
    assert.deepEqual(await page(3, 0), [1, 2, 3]);
    assert.deepEqual(await page(3, 3), [4]);
    const none = await stage.store.read("events", { task: taskId(99), ...all });
    assert.deepStrictEqual(none, { items: [], total: 0, totalExact: true, refusals: [] });
  });

  example(
    "refusals stand beside the history, the first ten one by one, the rest counted on the last",
    async (stage) => {
      const lane = await stage.begin();
      await stage.submit(aTask({ lane }), aTask({ id: taskId(2), lane }));
      const refusals = Array.from({ length: refusalsMax + 3 }, (_, n) =>
        aRefusal({
          at: now + n,
          attempt: n % 2 === 0 ? n : null,
          worker: n % 3 === 0 ? null : workerId(n),
          data: `[${n}]`,
        }),
      );
      const read = async (n: number) =>
        (await stage.store.read("events", { task: taskId(n), limit: 1, offset: 0 })).refusals;
      await stage.store.append({ refusals: refusals.slice(0, 4) });
      const once = refusals.map((refusal) => ({ ...refusal, times: 1 }));
      assert.deepStrictEqual(await read(1), once.slice(0, 4));
      await stage.store.append({ refusals: [...refusals.slice(4, 9), aRefusal({ task: taskId(2) })] });
      assert.deepStrictEqual(await read(1), once.slice(0, 9));
      await stage.store.append({ refusals: refusals.slice(9, 12) });
      await stage.store.append({ refusals: refusals.slice(12) });
      const kept = once.slice(0, refusalsMax);
      assert.deepStrictEqual(await read(1), [...kept.slice(0, -1), { ...kept.at(-1), times: 4 }]);
      assert.deepStrictEqual(await read(2), [{ ...aRefusal({ task: taskId(2) }), times: 1 }]);
      assert.deepEqual(await stage.moves(taskId(1)), ["task.submitted"], "a refusal is no move");
    },
  );

  example("logs and worker events are read in the order they were written, in pages", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }), aTask({ id: taskId(2), lane }));
    const lines = [1, 2, 3].map((n) => aLogLine({ attempt: n, at: now, level: "warn", message: `line ${n}\n` }));
    const events = [1, 2, 3].map((n) => aWorkerEvent({ at: now, type: `t${n}`, data: n === 2 ? null : `{"n":${n}}` }));
    const others = { logs: [aLogLine({ task: taskId(2) })], workerEvents: [aWorkerEvent({ worker: workerId(2) })] };
    await stage.store.append({ logs: lines.slice(0, 2), workerEvents: events.slice(0, 1) });
    await stage.store.append(others);
    await stage.store.append({ logs: lines.slice(2) });
    await stage.store.append({ workerEvents: events.slice(1) });
    await stage.store.append({});
    const logs = (page: PageQuery) => stage.store.read("logs", { task: taskId(1), ...page });
    const said = (page: PageQuery) => stage.store.read("workerEvents", { worker: workerId(1), ...page });
    assert.deepStrictEqual(await logs(all), { items: lines, total: 3, totalExact: true });
    assert.deepStrictEqual(await said(all), { items: events, total: 3, totalExact: true });
    const second = { limit: 1, offset: 1 };
    assert.deepStrictEqual(await logs(second), { items: [lines[1]], total: 3, totalExact: true });
    assert.deepStrictEqual(await said(second), { items: [events[1]], total: 3, totalExact: true });
    assert.deepStrictEqual(await stage.store.read("logs", { task: taskId(9), ...all }), {
      ...{ items: [], total: 0, totalExact: true },
    });
  });

  example("a line of a log may say what happened and how, or only one of these", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const logs = [
      aLogLine({ event: "batch.stored", fields: '{"rows": 3}', message: "" }),
      aLogLine({ event: "batch.failed" }),
      aLogLine({ fields: "{}" }),
      aLogLine(),
    ];
    await stage.store.append({ logs });
    assert.deepStrictEqual((await stage.store.read("logs", { task: taskId(1), ...all })).items, logs);
  });

  example("a place in the queue counts the ready tasks that go first, over the lanes named", async (stage) => {
    const [a, b, c] = [await stage.begin(), await stage.lane({ queue: "b" }), await stage.lane({ queue: "c" })];
    const rows = [
      [1, a, 0],
      [2, b, 5],
      [3, a, 5],
      [4, b, 0],
      [5, c, 9],
      [6, a, -1],
    ] as const;
    await stage.submit(
      ...rows.map(([n, lane, priority]) => aTask({ id: taskId(n), lane, priority })),
      aTask({ id: taskId(7), lane: a, priority: 9, runAt: now + 1_000 }),
    );
    const place = async (n: number, rank: number, lanes: number[]) =>
      (await stage.store.read("positions", { asked: [{ id: taskId(n), rank, lanes }] }))[0];
    assert.deepStrictEqual(await place(2, -5, [a, b]), { position: 1, exact: true });
    assert.deepStrictEqual(await place(3, -5, [b, a]), { position: 2, exact: true });
    assert.deepStrictEqual(await place(1, 0, [a, b]), { position: 3, exact: true });
    assert.deepStrictEqual(await place(1, 0, [a, b, c]), { position: 4, exact: true });
    assert.deepStrictEqual(await place(1, 0, [a]), { position: 2, exact: true });
    assert.deepStrictEqual(await place(6, 1, [a, b]), { position: 5, exact: true });
    assert.deepStrictEqual(await place(99, 0, []), { position: 1, exact: true });
    const asked = [
      { id: taskId(6), rank: 1, lanes: [a, b] },
      { id: taskId(99), rank: 0, lanes: [] },
      { id: taskId(2), rank: -5, lanes: [b, a] },
    ];
    const places = await stage.store.read("positions", { asked });
    assert.deepStrictEqual(
      places.map(({ position }) => position),
      [5, 1, 1],
      "of many at once each has its own",
    );
    assert.deepStrictEqual(await stage.store.read("positions", { asked: [] }), []);
    await stage.claims([b], { limit: 1 }, now);
    assert.deepStrictEqual(await place(1, 0, [a, b]), { position: 2, exact: true }, "a held task waits no more");
  });

  example("a place in the queue is exact up to a thousand, and says so when it is not", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    await submitMany(stage, a, 0, positionMax / 2);
    await submitMany(stage, b, positionMax / 2, positionMax);
    const place = async (n: number) => {
      const asked = [{ id: taskId(n), rank: 0, lanes: [a, b] }];
      return (await stage.store.read("positions", { asked }))[0] as Position;
    };
    assert.deepStrictEqual(await place(positionMax - 2), { position: positionMax - 1, exact: true });
    assert.deepStrictEqual(await place(positionMax - 1), { position: positionMax, exact: true });
    const beyond = await place(positionMax);
    assert.equal(beyond.exact, false);
    assert(beyond.position >= positionMax);
  });

  example("histories are walked in order of id, each with its task as it is", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[3, 1, 2].map((n) => aTask({ id: taskId(n), lane })));
    const task = await stage.claim(lane, { assign: true }, now);
    await stage.settle(task, [complete], now);
    const walk = async (after: string | null, limit: number) =>
      (await stage.store.read("histories", { after, limit })).map(({ task: { card }, events }) => [
        card.id,
        events.length,
      ]);
    assert.deepEqual(await walk(null, 2), [
      [taskId(1), 3],
      [taskId(2), 1],
    ]);
    assert.deepEqual(await walk(taskId(2), 2), [[taskId(3), 1]]);
    assert.deepEqual(await walk(taskId(3), 2), []);
    const [first] = await stage.store.read("histories", { after: null, limit: 1 });
    assert.deepStrictEqual(first?.task, await stage.task(taskId(1)));
  });

  example("the latest sign of life among the children counts those that ended too", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane, priority: -1 })));
    const child = (n: number, parent: number) => aTask({ id: taskId(n), lane, parent: taskId(parent), createdAt: now });
    await stage.submit(child(11, 1), child(12, 1), child(13, 2));
    const first = await stage.claim(lane, { assign: true }, now + 10);
    await stage.settle(first, [complete], now + 30);
    await stage.claim(lane, {}, now + 20);
    const activity = await stage.store.read("childActivity", { parents: [1, 2, 3, 99].map(taskId) });
    assert.deepStrictEqual(
      new Map(activity),
      new Map([
        [taskId(1), now + 30],
        [taskId(2), now],
      ]),
    );
  });
}

async function submitMany(stage: Stage, lane: number, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 500) {
    const some = Array.from({ length: Math.min(500, to - n) }, (_, index) => aTask({ id: taskId(n + index), lane }));
    await stage.submit(...some);
  }
}
