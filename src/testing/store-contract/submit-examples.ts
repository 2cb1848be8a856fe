import assert from "node:assert/strict";
import { newTaskRow, submittedEvent } from "../../core/task-row.ts";
import type { OpenTask } from "../../ports/records.ts";
import { aCall, aJob, aKey, anOutboxItem, aTask, aWrite, itemId, jobName, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { cancel, type Example, ids } from "./stage.ts";

const accepted = { kind: "accepted" } as const;
const later = worldStart + 1_000;

export function submitExamples(example: Example): void {
  example("a submitted task waits, and its history begins with its submission", async (stage) => {
    const lane = await stage.begin();
    const task = aTask({
      ...{ lane, priority: 7, policy: { timeoutMs: 5_000, retry: { maxAttempts: 3 } }, retryOf: taskId(90) },
      ...{ submitter: "ada", logs: "debug", room: "lab", payload: '{"n":1}' },
    });
    await stage.submit(task);
    const row = newTaskRow(task.card.id, worldStart, null);
    const record = { card: task.card, row, payload: '{"n":1}', outcome: null };
    assert.deepStrictEqual(await stage.task(task.card.id), record);
    const events = await stage.store.read("events", { task: task.card.id, limit: 10, offset: 0 });
    assert.deepStrictEqual(events, { items: [submittedEvent(row)], total: 1, totalExact: true, refusals: [] });
  });

  example("a task for later is delayed, and one for now is ready", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(
      aTask({ id: taskId(1), lane, runAt: later }),
      aTask({ id: taskId(2), lane, runAt: worldStart }),
      aTask({ id: taskId(3), lane, runAt: worldStart - 1 }),
      aTask({ id: taskId(4), lane, runAt: worldStart + 1 }),
    );
    const tasks = await stage.store.read("tasks", { ids: [1, 2, 3, 4].map(taskId) });
    assert.deepEqual(
      tasks.map((task) => task.row.runAt),
      [later, null, null, worldStart + 1],
    );
    assert.deepEqual(ids(await stage.claims([lane], { limit: 9 })), [taskId(2), taskId(3)]);
  });

  example("an empty batch is answered with nothing", async (stage) => {
    assert.deepEqual(await stage.store.submit([]), []);
  });

  example("each call of a batch has its own answer, and a refused one takes nothing with it", async (stage) => {
    const lane = await stage.begin();
    const call = (n: number, revision: number) =>
      aCall({ tasks: [aTask({ id: taskId(n), lane })], jobs: [{ name: jobName, revision }] });
    assert.deepEqual(await stage.store.submit([call(1, 1), call(2, 2), call(3, 1)]), [
      accepted,
      { kind: "job-changed", job: jobName },
      accepted,
    ]);
    assert.deepEqual(ids(await stage.claims([lane], { limit: 9 })), [taskId(1), taskId(3)]);
  });

  example("a refused call leaves no task, no key and no outbox item behind", async (stage) => {
    const lane = await stage.begin();
    const refused = aCall({
      tasks: [aTask({ id: taskId(1), lane }), aTask({ id: taskId(2), lane, parent: taskId(99) })],
      key: aKey(),
      outbox: [anOutboxItem()],
    });
    assert.deepEqual(await stage.store.submit([refused]), [{ kind: "parent-closed", parent: taskId(99) }]);
    assert.deepEqual(await stage.store.read("tasks", { ids: [taskId(1), taskId(2)] }), []);
    assert.deepEqual(await stage.moves(taskId(1)), []);
    assert.equal(await stage.store.read("key", aKey()), null);
    assert.deepEqual(await stage.store.find("outbox", { kind: "webhook", limit: 9 }), []);
  });

  example("an accepted call keeps its key and its outbox items", async (stage) => {
    const lane = await stage.begin();
    const items = [1, 2].map((n) => anOutboxItem({ id: itemId(n), data: `{"n":${n}}` }));
    await stage.store.submit([aCall({ tasks: [aTask({ lane })], key: aKey(), outbox: items })]);
    assert.deepStrictEqual(await stage.store.read("key", { scope: aKey().scope, key: aKey().key }), aKey());
    assert.deepStrictEqual(await stage.store.find("outbox", { kind: "webhook", limit: 9 }), items);
  });

  example("a job that is unknown, deleted, older or newer than the caller thinks refuses the call", async (stage) => {
    await stage.begin();
    const [gone, old] = ["@global:tests:Gone", "@global:tests:Old"];
    await stage.amend({ jobs: [aJob({ name: gone, deleted: true }), aJob({ name: old, revision: 5 })] });
    const answer = async (...jobs: { name: string; revision: number }[]) =>
      (await stage.store.submit([aCall({ jobs })]))[0];
    const here = { name: jobName, revision: 1 };
    assert.deepEqual(await answer(here, { name: old, revision: 5 }), accepted);
    const unknown = "@global:tests:Unknown";
    for (const job of [
      { name: gone, revision: 1 },
      { name: old, revision: 4 },
      { name: old, revision: 6 },
      { name: unknown, revision: 1 },
    ]) {
      assert.deepEqual(await answer(here, job), { kind: "job-changed", job: job.name });
    }
    const both = await answer({ name: unknown, revision: 1 }, { name: gone, revision: 1 });
    assert.deepEqual(both, { kind: "job-changed", job: unknown }, "the first one is named");
  });

  example("an open task may have children, a final or unknown one may not", async (stage) => {
    const lane = await stage.begin();
    const n = [1, 2, 3, 4, 5, 6];
    await stage.submit(...n.map((i) => aTask({ id: taskId(i), lane, runAt: i === 1 ? later : null })));
    const [, claimed, running, deferred, closed] = [null, ...(await stage.claims([lane], { limit: 4 }))];
    assert(claimed && running && deferred && closed);
    await stage.settle(running, [{ type: "start" }]);
    await stage.settle(deferred, [{ type: "start" }, { type: "defer", total: 2 }]);
    await stage.settle(closed, [cancel]);
    const answer = async (child: number, parent: string) =>
      (await stage.store.submit([aCall({ tasks: [aTask({ id: taskId(child), lane, parent })] })]))[0];
    for (const [index, parent] of [1, 2, 3, 4, 6].entries()) {
      assert.deepEqual(await answer(10 + index, taskId(parent)), accepted, `task ${parent}`);
    }
    assert.deepEqual(await answer(20, taskId(5)), { kind: "parent-closed", parent: taskId(5) });
    assert.deepEqual(await answer(20, taskId(77)), { kind: "parent-closed", parent: taskId(77) });
  });

  example("a child that comes while its parent ends for want of children is seen, or refused", async (stage) => {
    const lane = await stage.begin();
    const parents = Array.from({ length: 30 }, (_, n) => taskId(n));
    await stage.submit(...parents.map((id) => aTask({ id, lane })));
    const end = (id: string) =>
      stage.store.amend({ tasks: [id] }, ({ tasks, families }) => {
        if (!families.has(id)) return { families: [id] };
        if (families.get(id)) return { answer: "waits" };
        return { answer: "ended", tasks: [aWrite(tasks.get(id) as OpenTask, [cancel], later)] };
      });
    const meet = async (parent: string, n: number) => {
      const adding = stage.store.submit([aCall({ tasks: [aTask({ id: taskId(100 + n), lane, parent })] })]);
      const [[added], { answer }] = await Promise.all([adding, end(parent)]);
      return `${added?.kind}, ${answer}`;
    };
    for (const met of await Promise.all(parents.map(meet))) {
      assert(["accepted, waits", "parent-closed, ended"].includes(met), met);
    }
  });

  example("of several closed parents the first in the order of the tasks is named", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ id: taskId(1), lane }));
    const parents = [taskId(1), taskId(88), taskId(88), taskId(77)];
    const tasks = parents.map((parent, n) => aTask({ id: taskId(10 + n), lane, parent }));
    assert.deepEqual(await stage.store.submit([aCall({ tasks })]), [{ kind: "parent-closed", parent: taskId(88) }]);
  });

  example("refusals are looked for in order: the key, the jobs, the parents", async (stage) => {
    const lane = await stage.begin();
    await stage.store.submit([aCall({ key: aKey() })]);
    const tasks = (n: number) => [aTask({ id: taskId(n), lane, parent: taskId(99) })];
    const jobs = [{ name: jobName, revision: 9 }];
    const again = aKey({ bodyHash: "h2", answer: "{}", at: later });
    const calls = [
      aCall({ tasks: tasks(1), jobs, key: again }),
      aCall({ tasks: tasks(2), jobs }),
      aCall({ tasks: tasks(3) }),
    ];
    assert.deepStrictEqual(await stage.store.submit(calls), [
      { kind: "repeated", first: aKey() },
      { kind: "job-changed", job: jobName },
      { kind: "parent-closed", parent: taskId(99) },
    ]);
  });

  example("a key counts from the first call that was accepted, in the same batch too", async (stage) => {
    const lane = await stage.begin();
    const first = aKey({ bodyHash: "first" });
    const call = (n: number, key: ReturnType<typeof aKey>, revision = 1) =>
      aCall({ tasks: [aTask({ id: taskId(n), lane })], jobs: [{ name: jobName, revision }], key });
    const answers = await stage.store.submit([
      call(1, aKey({ bodyHash: "refused" }), 9),
      call(2, first),
      call(3, aKey({ bodyHash: "second" })),
      call(4, aKey({ key: "k2" })),
      call(5, aKey({ scope: "bob /v1/tasks" })),
    ]);
    const repeated = { kind: "repeated", first } as const;
    const changed = { kind: "job-changed", job: jobName } as const;
    assert.deepStrictEqual(answers, [changed, accepted, repeated, accepted, accepted]);
    assert.deepStrictEqual(await stage.store.submit([call(6, aKey())]), [repeated]);
    assert.deepEqual(ids(await stage.claims([lane], { limit: 9 })), [2, 4, 5].map(taskId));
  });

  example("a key without a task is kept, and repeated", async (stage) => {
    assert.deepEqual(await stage.store.submit([aCall({ key: aKey() })]), [accepted]);
    assert.deepEqual(await stage.store.submit([aCall({ key: aKey() })]), [{ kind: "repeated", first: aKey() }]);
  });

  example("a thousand tasks of one call are all there, each once", async (stage) => {
    const lane = await stage.begin();
    const tasks = Array.from({ length: 1_000 }, (_, n) => aTask({ id: taskId(n), lane, payload: `${n}` }));
    await stage.submit(...tasks);
    const claimed = await stage.claims([lane], { limit: 2_000, worker: workerId(1) });
    assert.deepEqual(
      claimed.map((task) => task.payload),
      tasks.map((task) => task.payload),
    );
  });
}
