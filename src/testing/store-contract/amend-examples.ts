import assert from "node:assert/strict";
import { Problem } from "../../core/problem.ts";
import type { OpenTask } from "../../ports/records.ts";
import { type AmendScope, type AmendView, rowsMax } from "../../ports/store.ts";
import {
  aCall,
  aJob,
  aKey,
  aLaneKey,
  anOutboxItem,
  aTask,
  aWorker,
  aWorkerEvent,
  aWrite,
  itemId,
  jobName,
  taskId,
  workerId,
} from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { cancel, complete, type Example, type Stage, start } from "./stage.ts";

const now = worldStart + 50;

export function amendExamples(example: Example): void {
  example("the view shows the jobs, workers and open tasks of the scope and nothing else", async (stage) => {
    const lane = await stage.begin();
    await stage.worker(2, { session: { removedAt: now } });
    await stage.submit(...[1, 2, 3, 4, 5].map((n) => aTask({ id: taskId(n), lane })));
    const final = await stage.claim(lane, { assign: true }, now);
    await stage.settle(final, [complete], now);
    const held = await stage.claim(lane, {}, now);
    const view = await look(stage, {
      jobs: [jobName, "@global:tests:Unknown"],
      workers: [workerId(2), workerId(1), workerId(99)],
      heldBy: [workerId(1), workerId(99)],
      parents: [taskId(3), taskId(1)],
      tasks: [taskId(4), taskId(3), taskId(99), taskId(1)],
    });
    assert.deepStrictEqual([...view.jobs], [[jobName, { job: aJob(), workers: 2, pending: true }]]);
    assert.deepStrictEqual(view.workers.get(workerId(1)), aWorker());
    assert.deepEqual([...view.workers.keys()].sort(), [workerId(1), workerId(2)]);
    assert.deepEqual([...view.tasks.keys()].sort(), [2, 3, 4].map(taskId));
    assert.deepStrictEqual(view.tasks.get(taskId(2)), { card: held.card, row: held.row });
    const empty = await look(stage, {});
    assert.deepEqual([empty.jobs.size, empty.workers.size, empty.tasks.size, empty.outbox.size], [0, 0, 0, 0]);
  });

  example("of the outbox, those items of the scope are shown that are still to be done", async (stage) => {
    await stage.amend({ outbox: [1, 2, 3].map((n) => anOutboxItem({ id: itemId(n) })) });
    await stage.amend({ outboxDone: [itemId(2)] });
    const { outbox } = await look(stage, { outbox: [itemId(9), itemId(2), itemId(1)] });
    assert.deepEqual([...outbox], [itemId(1)]);
  });

  example("of many who would do one item of the outbox at once, one finds it", async (stage) => {
    await stage.amend({ outbox: [anOutboxItem({ id: itemId(1) })] });
    const take = (view: AmendView) => ({ answer: view.outbox.has(itemId(1)), outboxDone: [itemId(1)] });
    const takes = Array.from({ length: 20 }, () => stage.store.amend({ outbox: [itemId(1)] }, take));
    const found = (await Promise.all(takes)).filter(({ answer }) => answer);
    assert.equal(found.length, 1);
  });

  example("a view holds no more than a thousand of a worker's tasks, the oldest", async (stage) => {
    const lane = await stage.begin();
    const n = Array.from({ length: rowsMax + 1 }, (_, index) => index);
    await stage.submit(...n.map((i) => aTask({ id: taskId(i), lane })));
    await stage.claims([lane], { limit: rowsMax + 1 }, now);
    const { tasks } = await look(stage, { heldBy: [workerId(1)] });
    assert.deepEqual([...tasks.keys()].sort(), n.slice(0, rowsMax).map(taskId));
  });

  example("a job is shown with its workers, and with whether a task waits for it, now or later", async (stage) => {
    const lane = await stage.begin();
    const other = await stage.lane({ queue: "other", labels: { gpu: "a100" } });
    const elsewhere = await stage.lane({ job: "@global:tests:Else" });
    const seen = async () => {
      const { jobs } = await look(stage, { jobs: [jobName] });
      return [jobs.get(jobName)?.workers, jobs.get(jobName)?.pending];
    };
    await stage.submit(aTask({ id: taskId(9), lane: elsewhere }));
    assert.deepEqual(await seen(), [1, false]);
    await stage.worker(2, { session: { lostAt: now } });
    await stage.worker(3, { jobs: new Map([["@global:tests:Else", null]]) });
    assert.deepEqual(await seen(), [2, false], "a fenced worker keeps its registrations");
    await stage.submit(aTask({ id: taskId(1), lane: other, runAt: now + 1_000 }));
    assert.deepEqual(await seen(), [2, true]);
    await stage.store.promote(now + 1_000, 9);
    assert.deepEqual(await seen(), [2, true]);
    await stage.claim(other, {}, now + 1_000);
    assert.deepEqual(await seen(), [2, false]);
    await stage.amend({ workers: [aWorker({ jobs: new Map() })] });
    assert.deepEqual(await seen(), [1, false]);
    assert.equal(lane > 0, true);
  });

  example("when the decision throws, nothing is written and the caller gets the error", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const before = await everything(stage);
    const refusal = new Problem("task-open", "Task is open");
    const amended = stage.store.amend({ tasks: [taskId(1)], jobs: [jobName], workers: [workerId(1)] }, () => {
      throw refusal;
    });
    await assert.rejects(amended, (error) => error === refusal);
    assert.deepStrictEqual(await everything(stage), before);
    assert.equal((await stage.claims([lane])).length, 1, "and nothing stays locked");
  });

  example("what was decided is written as one: tasks, outbox, keys and worker events", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    await stage.amend({ outbox: [anOutboxItem({ id: itemId(1) }), anOutboxItem({ id: itemId(2) })] });
    const amended = await stage.store.amend({ tasks: [taskId(1), taskId(2)] }, (view) => ({
      answer: { seen: view.tasks.size },
      tasks: [...view.tasks.values()].map((task) => aWrite(task, [cancel], now)),
      outbox: [anOutboxItem({ id: itemId(3) })],
      outboxDone: [itemId(1), itemId(77)],
      keys: [aKey()],
      workerEvents: [aWorkerEvent()],
    }));
    assert.deepEqual(amended, { answer: { seen: 2 }, lanes: [] });
    const states = await stage.store.read("tasks", { ids: [1, 2, 3].map(taskId) });
    assert.deepEqual(
      states.map((task) => task.outcome?.state),
      ["cancelled", "cancelled", undefined],
    );
    assert.deepEqual(await stage.moves(taskId(1)), ["task.submitted", "task.cancelled"]);
    const outbox = await stage.store.find("outbox", { kind: "webhook", limit: 9 });
    assert.deepEqual(
      outbox.map((item) => item.id),
      [itemId(2), itemId(3)],
    );
    assert.deepStrictEqual(await stage.store.read("key", aKey()), aKey());
    const events = await stage.store.read("workerEvents", { worker: workerId(1), limit: 9, offset: 0 });
    assert.deepStrictEqual(events, { items: [aWorkerEvent()], total: 1, totalExact: true });
  });

  example("a key that was used keeps its first answer, whoever writes it again", async (stage) => {
    const again = (answer: string) => aKey({ bodyHash: "other", answer, at: now });
    await stage.amend({ keys: [aKey(), again("second")] });
    await stage.amend({ keys: [again("third")] });
    assert.deepStrictEqual(await stage.store.read("key", aKey()), aKey());
    assert.deepEqual(await stage.store.submit([aCall({ key: again("fourth") })]), [
      { kind: "repeated", first: aKey() },
    ]);
    assert.deepStrictEqual(await stage.store.read("key", aKey()), aKey());
  });

  example("a deadline moved by an amendment is no move", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const { row } = await stage.claim(lane, { dueMs: 10, leaseMs: 10 }, now);
    const next = { ...row, dueAt: now + 700, leasedUntil: null };
    await stage.store.amend({ tasks: [taskId(1)] }, () => ({
      answer: null,
      tasks: [{ expected: row.version, next, outcome: null, events: [] }],
    }));
    assert.deepStrictEqual((await stage.task(taskId(1)))?.row, next);
    assert.deepEqual(await stage.moves(taskId(1)), ["task.submitted", "task.claimed"]);
    assert.deepEqual(await stage.store.find("due", { now: now + 699, limit: 9 }), []);
    assert.deepEqual(await stage.store.find("due", { now: now + 700, limit: 9 }), [taskId(1)]);
  });

  example("amendments of one task come one after the other, each seeing the one before", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    await stage.claim(lane, { assign: true }, now);
    const step = (view: AmendView) => {
      const task = view.tasks.get(taskId(1)) as OpenTask;
      const current = (task.row.progress?.current ?? 0) + 1;
      const move = { type: "progress", progress: { current, total: 20, message: null } } as const;
      return { answer: current, tasks: [aWrite(task, [move], now)] };
    };
    const steps = Array.from({ length: 20 }, () => stage.store.amend({ tasks: [taskId(1)] }, step));
    const answers = (await Promise.all(steps)).map((amended) => amended.answer);
    assert.deepEqual(
      answers.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.equal((await stage.task(taskId(1)))?.row.version, 22);
  });

  example("a family is counted and closed under one lock", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const parent = await stage.claim(lane, { assign: true }, now);
    await stage.submit(aTask({ id: taskId(2), lane, parent: taskId(1) }));
    await stage.settle(parent, [{ type: "defer", total: 1 }], now);
    const child = await stage.claim(lane, {}, now);
    await stage.store.amend({ parents: [taskId(1)], tasks: [taskId(2)] }, (view) => ({
      answer: null,
      tasks: [
        aWrite(view.tasks.get(taskId(2)) as OpenTask, [start, complete], now),
        aWrite(view.tasks.get(taskId(1)) as OpenTask, [{ type: "count", done: 1, failed: 0 }], now),
      ],
    }));
    const ends = await stage.store.read("tasks", { ids: [taskId(1), taskId(2)] });
    assert.deepEqual(
      ends.map((task) => [task.row.state, task.row.children]),
      [
        ["completed", { total: 1, done: 1, failed: 0, patience: null }],
        ["completed", null],
      ],
    );
    assert.equal(child.row.id, taskId(2));
  });

  example("whoever asks is shown whether a task has open children beside those of the scope", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const children = [
      [4, 1],
      [5, 1],
      [6, 2],
      [7, 2],
    ] as const;
    await stage.submit(...children.map(([n, parent]) => aTask({ id: taskId(n), lane, parent: taskId(parent) })));
    await stage.store.amend({ tasks: [taskId(6)] }, ({ tasks }) => ({
      answer: null,
      tasks: [aWrite(tasks.get(taskId(6)) as OpenTask, [cancel], now)],
    }));
    const seen = async (tasks: readonly number[]) => {
      const families = [1, 2, 3, 99].map(taskId);
      const { answer } = await stage.store.amend({ parents: [taskId(1)], tasks: tasks.map(taskId) }, (view) =>
        view.families.size === 0 ? { families } : { answer: families.map((id) => view.families.get(id)) },
      );
      return answer;
    };
    assert.deepEqual(await seen([]), [true, true, false, false]);
    assert.deepEqual(await seen([4, 7]), [true, false, false, false]);
    assert.deepEqual(await seen([5, 4]), [false, true, false, false]);
    assert.equal((await look(stage, { tasks: [taskId(1)] })).families.size, 0);
  });

  example("what is asked for piece by piece is shown together, under the same locks", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
    const { answer } = await stage.store.amend({ tasks: [taskId(1)] }, (view) => {
      const next = [taskId(1), taskId(2)].find((id) => !view.families.has(id));
      if (next !== undefined) return { families: [next] };
      const task = view.tasks.get(taskId(1)) as OpenTask;
      return { answer: [...view.families.values()], tasks: [aWrite(task, [cancel], now)] };
    });
    assert.deepEqual(answer, [false, false]);
    assert.equal((await stage.task(taskId(1)))?.row.state, "cancelled");
  });

  example("a fenced worker takes nothing more, and its tasks are found", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
    await stage.claim(lane, {}, now);
    await stage.store.amend({ workers: [workerId(1)] }, (view) => {
      const worker = view.workers.get(workerId(1)) as ReturnType<typeof aWorker>;
      return { answer: null, workers: [{ ...worker, session: { ...worker.session, lostAt: now } }] };
    });
    assert.deepEqual(await stage.claims([lane], {}, now), []);
    assert.deepEqual(await stage.store.find("forsaken", { limit: 9 }), [{ task: taskId(1), worker: workerId(1) }]);
  });

  example("a lane is made once and found again, however its labels are ordered", async (stage) => {
    const key = aLaneKey({ labels: { gpu: "a100", zone: "eu" }, checksum: "sha256:bb" });
    const again = { ...key, labels: { zone: "eu", gpu: "a100" } };
    const other = aLaneKey({ labels: { gpu: "a100" } });
    const first = await stage.amend({ lanes: [key, other, again] });
    const [a, b, c] = first.lanes;
    assert.deepStrictEqual({ ...a, id: 0 }, { ...key, id: 0, paused: false, maxRunning: null });
    assert.deepEqual([a?.id === c?.id, a?.id === b?.id], [true, false]);
    await stage.amend({ laneLimits: [{ lane: b?.id as number, paused: true, maxRunning: 4 }] });
    const second = await stage.amend({ lanes: [other, key] });
    assert.deepStrictEqual(second.lanes, [{ ...b, paused: true, maxRunning: 4 }, a]);
  });
}

async function look(stage: Stage, scope: AmendScope): Promise<AmendView> {
  return (await stage.store.amend(scope, (view) => ({ answer: view }))).answer;
}

async function everything(stage: Stage): Promise<unknown[]> {
  return [
    await stage.store.read("histories", { after: null, limit: 100 }),
    await stage.store.read("catalog", { after: 0 }),
    await stage.store.read("depths", {}),
  ];
}
