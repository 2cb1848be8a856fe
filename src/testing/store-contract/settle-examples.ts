import assert from "node:assert/strict";
import type { Move } from "../../core/task.ts";
import type { Outcome } from "../../core/task-row.ts";
import type { ClaimedTask, OpenTask, TaskWrite } from "../../ports/records.ts";
import { aDemand, aTaker, aTask, aWrite, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { cancel, complete, type Example, ids, start } from "./stage.ts";

const now = worldStart + 50;

export function settleExamples(example: Example): void {
  example("what a failure is known by is kept with the outcome", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const [one, two, three] = (await stage.claims([lane], { limit: 3 })) as [ClaimedTask, ClaimedTask, ClaimedTask];
    const error = { message: "Disk is full", code: null, details: null };
    const failed = (task: ClaimedTask, fingerprint?: string): TaskWrite => {
      const write = aWrite(task, [start, { type: "fail", error, retryable: false }], worldStart);
      return { ...write, outcome: { ...(write.outcome as Outcome), ...(fingerprint && { fingerprint }) } };
    };
    await stage.store.exchange([failed(one, "0123456789abcdef"), failed(two)], [], worldStart);
    await stage.store.amend({ tasks: [three.card.id] }, () => ({
      answer: null,
      tasks: [failed(three, "f".repeat(16))],
    }));
    const prints = [one, two, three].map(async ({ card }) => (await stage.task(card.id))?.outcome?.fingerprint);
    assert.deepEqual(await Promise.all(prints), ["0123456789abcdef", undefined, "f".repeat(16)]);
  });

  example("a completed task keeps its row, its result and its history, and is open no more", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const task = await stage.claim(lane, { assign: true, dueMs: 10, leaseMs: 20 }, now);
    const write = aWrite(
      task,
      [{ type: "progress", progress: { current: 1, total: 3, message: "on" } }, complete],
      now,
    );
    assert.deepEqual(await stage.store.exchange([write], [], now), { written: [true], claimed: [] });
    const { card, payload } = task;
    assert.deepStrictEqual(await stage.task(taskId(1)), { card, payload, row: write.next, outcome: write.outcome });
    const { items } = await stage.store.read("events", { task: taskId(1), limit: 9, offset: 2 });
    assert.deepStrictEqual(items, write.events);
    assert.deepEqual(await stage.claims([lane], { limit: 9 }, now), []);
    assert.deepEqual(await stage.store.find("held", { workers: [workerId(1)], limit: 9 }), []);
    assert.deepEqual(await stage.store.find("due", { now: now + 1e9, limit: 9 }), []);
  });

  const endings: [string, Move[]][] = [
    ["failed with a code and details", [start, fail({ message: "bad", code: "E1", details: '{"a":1}' })]],
    ["failed with neither", [fail({ message: "", code: null, details: null })]],
    ["completed without a result", [start, { type: "complete", result: null }]],
    ["completed with a note", [start, { type: "complete", result: "1", note: "slow" }]],
    ["cancelled with a reason", [{ type: "cancel", reason: "no longer wanted" }]],
    ["timed out", [{ type: "timeout", error: { message: "late", code: "JobTimeout", details: null } }]],
    ["lost with its worker", [{ type: "expire", reason: "session" }]],
    ["deferred and counted", [start, { type: "defer", total: 2 }, count(1, 0), count(1, 0)]],
    ["deferred and failed", [start, { type: "defer", total: 2 }, count(1, 0), count(0, 1)]],
  ];
  for (const [how, moves] of endings) {
    example(`a task that was ${how} is read back as it ended`, async (stage) => {
      const lane = await stage.begin();
      await stage.submit(aTask({ lane, policy: { maxRequeues: 0 } }));
      const task = await stage.claim(lane, {}, now);
      const write = aWrite(task, moves, now + 5);
      assert.notEqual(write.outcome, null);
      assert.deepEqual((await stage.store.exchange([write], [], now + 5)).written, [true]);
      const { card, payload } = task;
      assert.deepStrictEqual(await stage.task(taskId(1)), { card, payload, row: write.next, outcome: write.outcome });
    });
  }

  const changes: [string, Move[]][] = [
    ["started", [start]],
    ["that made progress", [start, { type: "progress", progress: { current: 0.5, total: null, message: null } }]],
    ["deferred", [start, { type: "defer", total: 3 }]],
    ["deferred and counted", [start, { type: "defer", total: 3 }, count(1, 0), count(0, 1)]],
    ["released with a checkpoint", [{ type: "release", reason: "drain", checkpoint: "[1]", delayMs: 9 }]],
    ["to be tried again", [start, fail({ message: "once more", code: null, details: null })]],
    ["requeued", [{ type: "expire", reason: "lease" }]],
  ];
  for (const [how, moves] of changes) {
    example(`a task ${how} is read back as it was written`, async (stage) => {
      const lane = await stage.begin();
      await stage.submit(aTask({ lane, policy: { retry: { maxAttempts: 2 }, onChildFailure: "stall" } }));
      const task = await stage.claim(lane, { dueMs: 77, leaseMs: 99 }, now);
      const write = aWrite(task, moves, now + 5);
      assert.equal(write.outcome, null);
      assert.deepEqual((await stage.store.exchange([write], [], now + 5)).written, [true]);
      assert.deepStrictEqual((await stage.task(taskId(1)))?.row, write.next);
    });
  }

  example("of two writers who know the same version the first one counts", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const task = await stage.claim(lane, { assign: true }, now);
    assert.equal(await stage.settle(task, [complete], now), true);
    assert.equal(await stage.settle(task, [cancel], now + 1), false);
    assert.equal(await stage.settle(task, [complete], now + 1), false);
    assert.equal((await stage.task(taskId(1)))?.outcome?.state, "completed");
    assert.deepEqual(await stage.moves(taskId(1)), ["task.submitted", "task.assigned", "task.completed"]);
  });

  example("a write that knows an older version, or a task nobody made, changes nothing", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const tasks = (await stage.claims([lane], { limit: 3, assign: true }, now)) as ClaimedTask[];
    const [first, second, third] = tasks as [ClaimedTask, ClaimedTask, ClaimedTask];
    await stage.settle(second, [{ type: "release", reason: "drain" }], now);
    const held = await stage.claim(lane, { assign: true }, now);
    const unknown = { ...first, row: { ...first.row, id: taskId(99) } };
    const writes = [first, unknown, second, third].map((task) => aWrite(task, [complete], now));
    const { written } = await stage.store.exchange(writes, [], now);
    assert.deepEqual(written, [true, false, false, true], "the others of the batch count");
    assert.deepStrictEqual((await stage.task(taskId(2)))?.row, held.row);
    assert.equal(await stage.task(taskId(99)), undefined);
  });

  example(
    "of a hundred endings in one call, those that came too late change nothing and the others count",
    async (stage) => {
      const lane = await stage.begin();
      const all = Array.from({ length: 103 }, (_, index) => taskId(index + 1));
      await stage.submit(...all.map((id) => aTask({ id, lane })));
      const tasks = await stage.claims([lane], { limit: 103, assign: true }, now);
      const late = [0, 30, 31, 102];
      for (const nth of late) assert.equal(await stage.settle(tasks[nth] as ClaimedTask, [cancel], now), true);
      const { written } = await stage.store.exchange(
        tasks.map((task) => aWrite(task, [complete], now + 1)),
        [],
        now + 1,
      );
      assert.deepEqual(
        written,
        all.map((_, nth) => !late.includes(nth)),
      );
      const records = await stage.store.read("tasks", { ids: all });
      const ends = new Map(records.map(({ card, outcome }) => [card.id, outcome?.state]));
      assert.deepEqual(
        all.map((id) => ends.get(id)),
        all.map((_, nth) => (late.includes(nth) ? "cancelled" : "completed")),
      );
      assert.deepEqual(await stage.moves(taskId(31)), ["task.submitted", "task.assigned", "task.cancelled"]);
      assert.deepEqual(await stage.moves(taskId(2)), ["task.submitted", "task.assigned", "task.completed"]);
    },
  );

  example("a task that is given back goes to nobody in the same call, and to the next who asks", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
    const task = await stage.claim(lane, {}, now);
    const back = aWrite(task, [{ type: "release", reason: "drain" }], now);
    const all = aDemand({ lanes: [lane], takers: [aTaker({ limit: 9 })] });
    const { claimed } = await stage.store.exchange([back], [all], now);
    assert.deepEqual(ids(claimed[0]?.[0] ?? []), [taskId(2)]);
    assert.deepEqual(ids(await stage.claims([lane], { limit: 9 }, now)), [taskId(1)]);
  });

  example("a task named by a write that lost is not handed out by the same call either", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const task = await stage.claim(lane, { assign: true }, now);
    await stage.settle(task, [{ type: "release", reason: "drain" }], now);
    const { written, claimed } = await stage.store.exchange(
      [aWrite(task, [complete], now)],
      [aDemand({ lanes: [lane] })],
      now,
    );
    assert.deepEqual([written, claimed], [[false], [[[]]]]);
    assert.equal((await stage.claims([lane], {}, now)).length, 1);
  });

  example("children that were counted, and how long a deferred task waits for the rest, are kept", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane, policy: { timeoutMs: 70, stallMs: 7 } }));
    const first = await stage.claim(lane, { assign: true }, now);
    await stage.settle(first, [count(1, 1), { type: "release", reason: "drain" }], now);
    const again = await stage.claim(lane, { assign: true }, now);
    assert.deepStrictEqual(again.row.children, { total: null, done: 1, failed: 1, patience: null });
    await stage.settle(again, [{ type: "defer", total: 5 }], now);
    const children = { total: 5, done: 1, failed: 1, patience: { timeoutMs: 70, stallMs: 7 } };
    const { row } = (await stage.task(taskId(1))) as ClaimedTask;
    assert.deepStrictEqual([row.children, row.dueAt], [children, now + 70]);
    const { answer } = await stage.store.amend({ tasks: [taskId(1)] }, ({ tasks }) => ({ answer: tasks }));
    assert.deepStrictEqual(answer.get(taskId(1))?.row, row);
  });

  example("a deadline may move without a move: the version stays and no event is written", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const { row } = await stage.claim(lane, { assign: true, dueMs: 10, leaseMs: 10 }, now);
    const next = { ...row, dueAt: now + 500, leasedUntil: now + 600 };
    const renew = { expected: row.version, next, outcome: null, events: [] };
    assert.deepEqual((await stage.store.exchange([renew], [], now)).written, [true]);
    assert.deepStrictEqual((await stage.task(taskId(1)))?.row, next);
    assert.deepEqual(await stage.moves(taskId(1)), ["task.submitted", "task.assigned"]);
    assert.deepEqual(await stage.store.find("due", { now: now + 499, limit: 9 }), []);
    const stale = { expected: row.version - 1, next: { ...next, version: row.version - 1 }, outcome: null, events: [] };
    assert.deepEqual((await stage.store.exchange([stale], [], now)).written, [false]);
  });

  example("a lease that was extended outlives a write that does not know of it, in the same hands", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const task = await stage.claim(lane, { assign: true, dueMs: 10, leaseMs: 10 }, now);
    const { row } = task;
    const renew = (leasedUntil: number | null, from = row) =>
      stage.store.exchange(
        [{ expected: from.version, next: { ...from, leasedUntil, dueAt: leasedUntil }, outcome: null, events: [] }],
        [],
        now,
      );
    await renew(now + 600);
    const unaware = aWrite(task, [{ type: "progress", progress: { current: 1, total: 2, message: null } }], now + 1);
    assert.deepEqual((await stage.store.exchange([unaware], [], now + 1)).written, [true]);
    assert.deepStrictEqual((await stage.task(taskId(1)))?.row, { ...unaware.next, leasedUntil: now + 600 });
    await renew(now + 599, unaware.next);
    const shorter = (await stage.task(taskId(1)))?.row;
    assert.deepEqual([shorter?.leasedUntil, shorter?.dueAt], [now + 600, now + 599], "an early look costs nothing");
    await renew(now + 601, unaware.next);
    assert.equal((await stage.task(taskId(1)))?.row.leasedUntil, now + 601);
    await renew(null, unaware.next);
    assert.equal((await stage.task(taskId(1)))?.row.leasedUntil, null, "a lease may be taken away");
  });

  example("a lease in nobody's hands, as of a task that has deferred, is prolonged by the same rule", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    await stage.settle(await stage.claim(lane, { assign: true }, now), [{ type: "defer", total: 2 }], now);
    const { row } = (await stage.task(taskId(1))) as ClaimedTask;
    for (const [leasedUntil, left] of [
      [now + 600, now + 600],
      [now + 500, now + 600],
      [now + 700, now + 700],
    ] as const) {
      const renew = { expected: row.version, next: { ...row, leasedUntil }, outcome: null, events: [] };
      assert.deepEqual((await stage.store.exchange([renew], [], now)).written, [true]);
      assert.equal((await stage.task(taskId(1)))?.row.leasedUntil, left);
    }
  });

  example("a lease does not pass into other hands, nor to the next attempt of the same ones", async (stage) => {
    const lane = await stage.begin();
    await stage.worker(2);
    await stage.submit(aTask({ lane }));
    let task: OpenTask = await stage.claim(lane, { assign: true, leaseMs: 900 }, now);
    for (const worker of [2, 2].map(workerId)) {
      const taken = aWrite(
        task,
        [
          { type: "release", reason: "drain" },
          { type: "assign", worker },
        ],
        now + 1,
      );
      const write = { ...taken, next: { ...taken.next, leasedUntil: now + 20, dueAt: now + 20 } };
      assert.deepEqual((await stage.store.exchange([write], [], now + 1)).written, [true]);
      assert.deepStrictEqual((await stage.task(taskId(1)))?.row, write.next);
      const longer = { ...write.next, leasedUntil: now + 800 };
      const renew = { expected: longer.version, next: longer, outcome: null, events: [] };
      await stage.store.exchange([renew], [], now + 1);
      task = { card: task.card, row: longer };
    }
  });
}

function fail(error: { message: string; code: string | null; details: string | null }): Move {
  return { type: "fail", error };
}

function count(done: number, failed: number): Move {
  return { type: "count", done, failed };
}
