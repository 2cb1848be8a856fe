import assert from "node:assert/strict";
import {
  aCall,
  aKey,
  aLogLine,
  aRefusal,
  aSlice,
  aTask,
  aWorker,
  aWorkerEvent,
  taskId,
  workerId,
} from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { complete, type Example, type Stage } from "./stage.ts";

const now = worldStart + 50;
const all = { limit: 100, offset: 0 };

export function pruneExamples(example: Example): void {
  example("an empty slice removes nothing", async (stage) => {
    await ended(stage, [[1, now]]);
    assert.equal(await stage.store.prune(aSlice()), 0);
    assert.notEqual(await stage.task(taskId(1)), undefined);
  });

  example("a final task that is named goes with all its traces, an open or unknown one stays", async (stage) => {
    const lane = await ended(stage, [
      [1, now],
      [2, now],
    ]);
    await stage.submit(aTask({ id: taskId(3), lane }));
    const lines = { logs: [aLogLine()], refusals: [aRefusal()] };
    await stage.store.append(lines);
    assert.equal(await stage.store.prune(aSlice({ tasks: [3, 99, 1].map(taskId) })), 1);
    assert.equal(await stage.task(taskId(1)), undefined);
    const events = await stage.store.read("events", { task: taskId(1), ...all });
    assert.deepStrictEqual(events, { items: [], total: 0, totalExact: true, refusals: [] });
    assert.equal((await stage.store.read("logs", { task: taskId(1), ...all })).total, 0);
    assert.deepEqual(await left(stage), [2, 3]);
    assert.equal(await stage.store.prune(aSlice({ tasks: [taskId(1)] })), 0);
  });

  example("tasks that ended before then go, oldest first, a slice at a time", async (stage) => {
    await ended(stage, [
      [1, now + 2],
      [2, now],
      [3, now + 1],
      [4, now],
      [5, now + 3],
    ]);
    const slice = (limit: number) => stage.store.prune(aSlice({ finishedBefore: now + 2, limit }));
    assert.equal(await slice(2), 2);
    assert.deepEqual(await left(stage), [1, 4, 5]);
    assert.equal(await slice(2), 1);
    assert.deepEqual(await left(stage), [1, 5], "the instant itself stays");
    assert.equal(await slice(2), 0);
  });

  example("a child of an open parent stays until the parent has ended, unless it is named", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const parent = await stage.claim(lane, { assign: true }, now);
    await stage.submit(...[2, 3].map((n) => aTask({ id: taskId(n), lane, parent: taskId(1) })));
    for (const child of await stage.claims([lane], { limit: 2, assign: true }, now)) {
      await stage.settle(child, [complete], now);
    }
    const old = aSlice({ finishedBefore: now + 1e9 });
    assert.equal(await stage.store.prune(old), 0);
    assert.equal(await stage.store.prune(aSlice({ tasks: [taskId(2)] })), 1);
    await stage.settle(parent, [complete], now);
    assert.equal(await stage.store.prune({ ...old, limit: 1 }), 1);
    assert.equal(await stage.store.prune(old), 1);
    assert.deepEqual(await left(stage), []);
  });

  example("keys used before then go, and can be used again", async (stage) => {
    const key = (n: number, at: number) => aKey({ key: `k${n}`, at });
    await stage.store.submit([1, 2, 3].map((n) => aCall({ key: key(n, now + n) })));
    const slice = (limit: number) => stage.store.prune(aSlice({ keysBefore: now + 3, limit }));
    assert.equal(await slice(1), 1);
    assert.equal(await slice(9), 1);
    assert.equal(await slice(9), 0);
    assert.equal(await stage.store.read("key", key(2, 0)), null);
    assert.deepStrictEqual(await stage.store.read("key", key(3, 0)), key(3, now + 3));
    assert.deepEqual(await stage.store.submit([aCall({ key: key(2, now + 9) })]), [{ kind: "accepted" }]);
  });

  example("worker events from before then go", async (stage) => {
    const event = (n: number) => aWorkerEvent({ at: now + n, type: `t${n}` });
    await stage.store.append({ workerEvents: [1, 2, 3, 4].map(event) });
    const slice = (limit: number) => stage.store.prune(aSlice({ workerEventsBefore: now + 3, limit }));
    assert.equal(await slice(1), 1);
    assert.equal(await slice(9), 1);
    assert.equal(await slice(9), 0);
    const { items } = await stage.store.read("workerEvents", { worker: workerId(1), ...all });
    assert.deepStrictEqual(items, [event(3), event(4)]);
  });

  example("tombstones of workers removed before then go, unless a task is still in their hands", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const task = await stage.claim(lane, { assign: true }, now);
    const gone = (n: number, at: number | null) =>
      aWorker({ id: workerId(n), jobs: new Map(), session: { lostAt: now - 9, removedAt: at } });
    await stage.amend({ workers: [gone(1, now), gone(2, now + 1), gone(3, now + 2), gone(4, null), gone(5, now)] });
    const slice = (limit: number) => stage.store.prune(aSlice({ workersBefore: now + 2, limit }));
    const known = async () => {
      const workers = await stage.store.read("workers", { ids: [1, 2, 3, 4, 5].map(workerId) });
      return workers.map((worker) => [1, 2, 3, 4, 5].find((n) => workerId(n) === worker.id));
    };
    assert.equal(await slice(1), 1);
    assert.equal(await slice(9), 1);
    assert.deepEqual(await known(), [1, 3, 4]);
    await stage.settle(task, [complete], now);
    assert.equal(await slice(9), 1);
    assert.deepEqual(await known(), [3, 4]);
    assert.equal((await stage.task(taskId(1)))?.row.worker, workerId(1), "its tasks remember it");
  });

  example("a slice tells how much of every kind went, each kind up to the limit", async (stage) => {
    await ended(stage, [
      [1, now],
      [2, now],
      [3, now],
    ]);
    await stage.store.submit([1, 2, 3].map((n) => aCall({ key: aKey({ key: `k${n}` }) })));
    await stage.store.append({ workerEvents: [1, 2, 3].map((n) => aWorkerEvent({ type: `t${n}` })) });
    const removed = { jobs: new Map(), session: { removedAt: now } };
    await stage.amend({ workers: [4, 5, 6].map((n) => aWorker({ id: workerId(n), ...removed })) });
    const before = now + 1e6;
    const slice = aSlice({
      ...{ finishedBefore: before, keysBefore: before, workerEventsBefore: before, workersBefore: before, limit: 2 },
    });
    assert.equal(await stage.store.prune(slice), 8);
    assert.equal(await stage.store.prune(slice), 4);
    assert.equal(await stage.store.prune(slice), 0);
  });
}

/** Tasks that ended at these times, all with worker 1. */
async function ended(stage: Stage, tasks: readonly (readonly [n: number, at: number])[]): Promise<number> {
  const lane = await stage.begin();
  for (const [n, at] of tasks) {
    await stage.submit(aTask({ id: taskId(n), lane }));
    await stage.settle(await stage.claim(lane, { assign: true }, now), [complete], at);
  }
  return lane;
}

async function left(stage: Stage): Promise<(number | undefined)[]> {
  const { items } = await stage.store.read("taskList", all);
  return items.map((task) => [1, 2, 3, 4, 5].find((n) => taskId(n) === task.card.id)).reverse();
}
