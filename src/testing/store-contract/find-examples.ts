import assert from "node:assert/strict";
import { aJob, anOutboxItem, aTask, aWorker, itemId, jobId, jobName, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { cancel, complete, type Example, start } from "./stage.ts";

const now = worldStart + 50;

export function findExamples(example: Example): void {
  example("due tasks are found from the instant of their deadline, earliest first", async (stage) => {
    const lane = await stage.begin();
    const due = (at: number, limit: number) => stage.store.find("due", { now: at, limit });
    for (const [n, dueMs] of [
      [1, 30],
      [2, 10],
      [3, 20],
      [4, 10],
      [5, null],
    ] as const) {
      await stage.submit(aTask({ id: taskId(n), lane }));
      await stage.claim(lane, { assign: true, dueMs }, now);
    }
    assert.deepEqual(await due(now + 9, 9), []);
    assert.deepEqual(await due(now + 10, 9), [2, 4].map(taskId));
    assert.deepEqual(await due(now + 1e9, 9), [2, 4, 3, 1].map(taskId));
    assert.deepEqual(await due(now + 1e9, 2), [2, 4].map(taskId));
  });

  example("lost workers are found from the instant their session ends, by id, and not twice", async (stage) => {
    const lost = (at: number, limit = 9) => stage.store.find("lost", { now: at, heardMs: 10, limit });
    await stage.worker(3, { session: { seenAt: now, lostMs: 10 } });
    await stage.worker(1, { session: { seenAt: now + 5, lostMs: 10 } });
    await stage.worker(2, { session: { seenAt: now, lostMs: 10, lostAt: now } });
    await stage.worker(4, { session: { seenAt: now, lostMs: 10, removedAt: now } });
    assert.deepEqual(await lost(now + 9), []);
    assert.deepEqual(await lost(now + 10), [workerId(3)]);
    assert.deepEqual(await lost(now + 15), [workerId(1), workerId(3)]);
    assert.deepEqual(await lost(now + 15, 1), [workerId(1)]);
  });

  example(
    "of lost workers only those with windows as short as what was heard are found, however many",
    async (stage) => {
      for (const [n, lostMs] of [10, 30, 20, 10].entries())
        await stage.worker(n + 1, { session: { seenAt: now, lostMs } });
      const lost = (heardMs: number, limit = 9) => stage.store.find("lost", { now: now + 1_000, heardMs, limit });
      assert.deepEqual(await lost(9), []);
      assert.deepEqual(await lost(10), [1, 4].map(workerId));
      assert.deepEqual(await lost(29), [1, 3, 4].map(workerId));
      assert.deepEqual(await lost(29, 2), [1, 3].map(workerId));
      assert.deepEqual(await lost(30), [1, 2, 3, 4].map(workerId));
    },
  );

  example("a lost worker that was unreachable before is found after so much listening", async (stage) => {
    await stage.worker(1, { session: { seenAt: now, unreachableMs: 10, lostMs: 30 } });
    const lost = (heardMs: number) => stage.store.find("lost", { now: now + 1_000, heardMs, limit: 9 });
    assert.deepEqual(await lost(9), []);
    assert.deepEqual(await lost(10), [workerId(1)]);
  });

  example("offline workers of a profile are found when fenced before then, longest first", async (stage) => {
    const fenced: [n: number, lostAt: number | null, more?: { removedAt: number }][] = [
      ...([
        [1, now + 3],
        [2, now + 1],
        [3, now + 2],
        [4, null],
        [6, now + 1],
      ] as [number, number | null][]),
      [5, now, { removedAt: now }],
    ];
    for (const [n, lostAt, more] of fenced) await stage.worker(n, { profile: "fleet", session: { lostAt, ...more } });
    await stage.worker(7, { profile: "amqp", session: { lostAt: now } });
    const offline = (lostBefore: number, limit = 9) =>
      stage.store.find("offline", { profile: "fleet", lostBefore, limit });
    assert.deepEqual(await offline(now + 1), []);
    assert.deepEqual(await offline(now + 3), [2, 6, 3].map(workerId));
    assert.deepEqual(await offline(now + 4), [2, 6, 3, 1].map(workerId));
    assert.deepEqual(await offline(now + 4, 2), [2, 6].map(workerId));
  });

  example("tasks in the hands of the fenced, the removed and the unknown are forsaken", async (stage) => {
    const lane = await stage.begin();
    for (const n of [2, 3, 4]) await stage.worker(n);
    await stage.submit(...[1, 2, 3, 4, 5, 6].map((n) => aTask({ id: taskId(n), lane })));
    const hands = [3, 1, 2, 4, 77, 2];
    for (const n of hands.slice(0, 4)) await stage.claim(lane, { worker: workerId(n) }, now);
    for (const n of [5, 6]) {
      const task = await stage.task(taskId(n));
      assert(task !== undefined);
      await stage.settle(task, [{ type: "claim", worker: workerId(hands[n - 1] as number) }], now);
    }
    await stage.worker(2, { session: { lostAt: now } });
    await stage.worker(3, { session: { removedAt: now } });
    await stage.worker(4, { session: { lostAt: now, removedAt: now } });
    const found = [1, 3, 4, 5, 6].map((n) => ({ task: taskId(n), worker: workerId(hands[n - 1] as number) }));
    assert.deepEqual(await stage.store.find("forsaken", { limit: 9 }), found);
    assert.deepEqual(await stage.store.find("forsaken", { limit: 2 }), found.slice(0, 2));
  });

  example("removed workers are found while they are kept, the latest first", async (stage) => {
    await stage.begin();
    for (const [n, removedAt] of [2, 5, 3, 4, 4].entries()) {
      await stage.worker(n + 2, { session: { lostAt: now, removedAt: now + removedAt } });
    }
    assert.deepEqual(await stage.store.find("removed", { limit: 9 }), [3, 5, 6, 4, 2].map(workerId));
    assert.deepEqual(await stage.store.find("removed", { limit: 2 }), [3, 5].map(workerId));
  });

  example("a deferred task is in nobody's hands", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const task = await stage.claim(lane, {}, now);
    assert.deepEqual(await stage.store.find("held", { workers: [workerId(1)], limit: 9 }), [taskId(1)]);
    await stage.settle(task, [start, { type: "defer", total: 1 }], now);
    assert.deepEqual(await stage.store.find("held", { workers: [workerId(1)], limit: 9 }), []);
    await stage.worker(1, { session: { lostAt: now } });
    assert.deepEqual(await stage.store.find("forsaken", { limit: 9 }), []);
  });

  example("held tasks are found for several workers together, oldest first", async (stage) => {
    const lane = await stage.begin();
    await stage.worker(2);
    await stage.worker(3);
    await stage.submit(...[1, 2, 3, 4, 5].map((n) => aTask({ id: taskId(n), lane })));
    const claimed = [];
    for (const n of [2, 1, 3, 2, 1]) claimed.push(await stage.claim(lane, { worker: workerId(n) }, now));
    const [, , , fourth] = claimed;
    const held = (n: number[], limit = 9) => stage.store.find("held", { workers: n.map(workerId), limit });
    assert.deepEqual(await held([1, 2, 99]), [1, 2, 4, 5].map(taskId));
    assert.deepEqual(await held([1, 2], 3), [1, 2, 4].map(taskId));
    if (fourth) await stage.settle(fourth, [cancel], now);
    assert.deepEqual(await held([2]), [taskId(1)]);
    assert.deepEqual(await held([]), []);
  });

  example("open children are found for several parents together, oldest first", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane, priority: -1 })));
    const children: [number, number][] = [
      [13, 1],
      [11, 2],
      [12, 1],
      [14, 2],
    ];
    await stage.submit(
      ...children.map(([n, parent]) => aTask({ id: taskId(n), lane, parent: taskId(parent) })),
      aTask({ id: taskId(15), lane, parent: taskId(1), runAt: now + 1_000 }),
    );
    const first = await stage.claim(lane, { assign: true }, now);
    await stage.settle(first, [complete], now);
    const open = (parents: number[], limit = 9) =>
      stage.store.find("children", { parents: parents.map(taskId), limit });
    assert.deepEqual(await open([1, 2]), [12, 13, 14, 15].map(taskId));
    assert.deepEqual(await open([2, 1], 2), [12, 13].map(taskId));
    assert.deepEqual(await open([2]), [taskId(14)]);
    assert.deepEqual(await open([99, 11]), []);
  });

  example("orphans are active jobs of workers that nobody serves and nothing waits for", async (stage) => {
    const lane = await stage.begin();
    const job = (n: number, name: string, about: Parameters<typeof aJob>[0] = {}) =>
      aJob({ id: jobId(n), name: `r:c:${name}`, ...about });
    await stage.amend({
      jobs: [
        ...[job(2, "b"), job(3, "a"), job(4, "gone", { deleted: true }), job(5, "own", { source: "explicit" })],
        ...[job(6, "in", { source: "internal" }), job(7, "waited"), job(8, "Z")],
      ],
    });
    const orphans = (limit = 9) => stage.store.find("orphans", { limit });
    const waited = await stage.lane({ job: "r:c:waited" });
    await stage.submit(aTask({ lane: waited, runAt: now + 1_000 }), aTask({ id: taskId(2), lane }));
    assert.deepEqual(await orphans(), ["r:c:Z", "r:c:a", "r:c:b"]);
    assert.deepEqual(await orphans(2), ["r:c:Z", "r:c:a"]);
    await stage.store.promote(now + 1_000, 9);
    assert.deepEqual(await orphans(), ["r:c:Z", "r:c:a", "r:c:b"]);
    await stage.claim(waited, {}, now + 1_000);
    assert.deepEqual(await orphans(), ["r:c:Z", "r:c:a", "r:c:b", "r:c:waited"], "a held task keeps no job");
    await stage.amend({ workers: [aWorker({ jobs: new Map([["r:c:a", null]]), session: { lostAt: now } })] });
    assert.deepEqual(await orphans(), ["r:c:Z", "r:c:b", "r:c:waited"], "a fenced worker still serves");
    await stage.claim(lane, { worker: workerId(1) }, now).catch(() => {});
    assert.equal((await orphans()).includes(jobName), false, "a task still waits for it");
  });

  example("outbox items are found by kind, the longest due first, whatever their ids", async (stage) => {
    const item = (n: number, kind: string) => anOutboxItem({ id: itemId(9 - n), kind, at: now + n, data: "[]" });
    await stage.amend({ outbox: [item(3, "a"), item(1, "a"), item(2, "b"), item(4, "a")] });
    const due = (dueBy: number) => stage.store.find("outbox", { kind: "a", dueBy: now + dueBy, limit: 9 });
    assert.deepStrictEqual(await due(3), [item(1, "a"), item(3, "a")]);
    assert.deepStrictEqual(await due(0), []);
    const outbox = (kind: string, limit = 9) => stage.store.find("outbox", { kind, limit });
    assert.deepStrictEqual(await outbox("a"), [item(1, "a"), item(3, "a"), item(4, "a")]);
    assert.deepStrictEqual(await outbox("a", 2), [item(1, "a"), item(3, "a")]);
    assert.deepStrictEqual(await outbox("b"), [item(2, "b")]);
    assert.deepStrictEqual(await outbox("c"), []);
  });

  example("the outbox says how many items of each kind it holds, whenever they are due", async (stage) => {
    const item = (n: number, kind: string) => anOutboxItem({ id: itemId(n), kind, at: now + n });
    await stage.amend({ outbox: [item(1, "b"), item(2, "a"), item(3, "b"), item(4, "Z")] });
    const kinds = (limit: number) => stage.store.find("outboxKinds", { limit });
    const [Z, a, b] = [
      { kind: "Z", count: 1 },
      { kind: "a", count: 1 },
      { kind: "b", count: 2 },
    ];
    assert.deepStrictEqual(await kinds(9), [Z, a, b]);
    assert.deepStrictEqual(await kinds(2), [Z, a]);
    await stage.amend({ outboxDone: [itemId(2), itemId(3)] });
    assert.deepStrictEqual(await kinds(9), [Z, { kind: "b", count: 1 }]);
  });
}
