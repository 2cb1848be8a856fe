import assert from "node:assert/strict";
import { profileDueMs } from "../../core/deadline.ts";
import { priorityMax } from "../../core/lane.ts";
import { defaultProfiles, profileNames } from "../../core/liveness.ts";
import type { Policy } from "../../core/policy.ts";
import { transition } from "../../core/task.ts";
import type { ClaimedTask } from "../../ports/records.ts";
import { aDemand, aTaker, aTask, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { type Example, ids } from "./stage.ts";

const now = worldStart + 50;

export function claimExamples(example: Example): void {
  example("tasks go out by priority, then age, over all the lanes asked for", async (stage) => {
    const [a, b, c] = [await stage.begin(), await stage.lane({ queue: "b" }), await stage.lane({ queue: "c" })];
    const [top, bottom] = [priorityMax, -priorityMax];
    const rows: [n: number, lane: number, priority: number][] = [
      ...([
        [9, a, 0],
        [8, b, 0],
        [7, c, 0],
        [6, a, 5],
        [5, b, -5],
      ] as const),
      ...([
        [4, c, top],
        [3, a, bottom],
        [2, b, 5],
        [1, c, 0],
        [10, a, top],
      ] as const),
    ].map(([n, lane, priority]) => [n, lane, priority]);
    await stage.submit(...rows.map(([n, lane, priority]) => aTask({ id: taskId(n), lane, priority })));
    const order = [4, 10, 2, 6, 1, 7, 8, 9, 5, 3];
    assert.deepEqual(ids(await stage.claims([c, a, b], { limit: 4 })), order.slice(0, 4).map(taskId));
    assert.deepEqual(ids(await stage.claims([a, b, c], { limit: 99 })), order.slice(4).map(taskId));
  });

  example("an older task that arrives later still goes first", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ id: taskId(5), lane }));
    await stage.submit(aTask({ id: taskId(3), lane }));
    assert.deepEqual(ids(await stage.claims([lane], { limit: 2 })), [taskId(3), taskId(5)]);
  });

  example("only ready tasks of the lanes asked for go out, and only once", async (stage) => {
    const [lane, other] = [await stage.begin(), await stage.lane({ queue: "other" })];
    await stage.submit(
      aTask({ id: taskId(1), lane: other }),
      aTask({ id: taskId(2), lane, runAt: worldStart + 1 }),
      aTask({ id: taskId(3), lane }),
    );
    assert.deepEqual(ids(await stage.claims([lane], { limit: 9 }, now)), [taskId(3)]);
    assert.deepEqual(await stage.claims([lane], { limit: 9 }, now), []);
    assert.deepEqual(await stage.claims([], { limit: 9 }, now), []);
    assert.deepEqual(await stage.claims([lane + 1_000], { limit: 9 }, now), [], "a lane nobody made");
  });

  example("takers are served in their order, each up to its limit", async (stage) => {
    const lane = await stage.begin();
    await stage.worker(2);
    await stage.submit(...[1, 2, 3, 4, 5].map((n) => aTask({ id: taskId(n), lane })));
    const takers = [
      aTaker({ worker: workerId(2), limit: 2 }),
      aTaker({ worker: workerId(1), limit: 0 }),
      aTaker({ worker: workerId(1), limit: 1, assign: true }),
      aTaker({ worker: workerId(2), limit: 5 }),
      aTaker({ worker: workerId(1), limit: 5 }),
    ];
    const { claimed } = await stage.store.exchange([], [aDemand({ lanes: [lane], takers })], now);
    const got = claimed[0]?.map((tasks) => tasks.map(({ row }) => [row.id, row.worker, row.state]));
    assert.deepEqual(got, [
      [1, 2].map((n) => [taskId(n), workerId(2), "claimed"]),
      [],
      [[taskId(3), workerId(1), "running"]],
      [4, 5].map((n) => [taskId(n), workerId(2), "claimed"]),
      [],
    ]);
  });

  example("a taker that is fenced, removed or unknown gets nothing and costs the others nothing", async (stage) => {
    const lane = await stage.begin();
    await stage.worker(2, { session: { lostAt: worldStart } });
    await stage.worker(3, { session: { removedAt: worldStart } });
    await stage.worker(4, { session: { seenAt: worldStart - 1e9 } });
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    const takers = [2, 3, 99, 4, 1].map((n) => aTaker({ worker: workerId(n), limit: 1 }));
    const { claimed } = await stage.store.exchange([], [aDemand({ lanes: [lane], takers })], now);
    assert.deepEqual(claimed[0]?.map(ids), [[], [], [], [taskId(1)], [taskId(2)]], "overdue is not yet fenced");
  });

  example("demands are served one after the other from what is left", async (stage) => {
    const [a, b] = [await stage.begin(), await stage.lane({ queue: "b" })];
    await stage.submit(...[1, 2, 3, 4].map((n) => aTask({ id: taskId(n), lane: n % 2 === 0 ? b : a })));
    const demands = [
      aDemand({ lanes: [b], takers: [aTaker({ limit: 1 })] }),
      aDemand({ lanes: [a, b], takers: [aTaker({ limit: 2 })] }),
      aDemand({ lanes: [], takers: [aTaker({ limit: 2 })] }),
      aDemand({ lanes: [a, b], takers: [] }),
      aDemand({ lanes: [a, b], takers: [aTaker({ limit: 9 }), aTaker({ limit: 9 })] }),
    ];
    const { claimed, written } = await stage.store.exchange([], demands, now);
    assert.deepEqual(written, []);
    const n = claimed.map((takers) => takers.map(ids));
    assert.deepEqual(n, [[[taskId(2)]], [[taskId(1), taskId(3)]], [[]], [], [[taskId(4)], []]]);
  });

  example("a claim is the move that core makes of it, whatever the profile and the policy", async (stage) => {
    const lane = await stage.begin();
    const policies: Policy[] = [
      {},
      { timeoutMs: 1_000 },
      { stuckTaskMs: 2_000, startWithinMs: 700 },
      { timeoutMs: 9e9, stuckTaskMs: 8e9, startWithinMs: 7e9 },
      { retry: { maxAttempts: 5 }, stallMs: 3, onWorkerLost: "fail" },
    ];
    let n = 0;
    for (const profile of profileNames.map((name) => defaultProfiles[name])) {
      for (const assign of [false, true]) {
        for (const policy of policies) {
          n += 1;
          const task = aTask({ id: taskId(n), lane, policy, createdAt: worldStart + n });
          await stage.submit(task);
          const taker = { assign, dueMs: profileDueMs(profile, assign), leaseMs: profile.ownLeaseMs };
          const before = (await stage.task(task.card.id)) as ClaimedTask;
          const claimed = await stage.claim(lane, taker, now);
          const move = { type: assign ? "assign" : "claim", worker: workerId(1) } as const;
          const { next, event } = transition(before.row, move, { now, policy, profile, jitter: 0 });
          assert.deepStrictEqual(claimed, { card: task.card, row: next, payload: task.payload });
          const { items } = await stage.store.read("events", { task: task.card.id, limit: 9, offset: 1 });
          assert.deepStrictEqual(items, [event]);
          assert.deepStrictEqual((await stage.task(task.card.id))?.row, next);
        }
      }
    }
  });

  example("the earlier of the taker's and the task's deadlines counts", async (stage) => {
    const lane = await stage.begin();
    const cases: [dueMs: number | null, policy: Policy, expected: number | null][] = [
      [null, {}, null],
      [10, {}, 10],
      [null, { timeoutMs: 20 }, 20],
      [10, { timeoutMs: 20 }, 10],
      [30, { timeoutMs: 20 }, 20],
      [30, { timeoutMs: 20, stuckTaskMs: 15, startWithinMs: 17 }, 15],
      [0, { timeoutMs: 20 }, 0],
    ];
    for (const [index, [dueMs, policy, expected]] of cases.entries()) {
      await stage.submit(aTask({ id: taskId(index), lane, policy }));
      const { row } = await stage.claim(lane, { dueMs, leaseMs: index === 0 ? null : 40 }, now);
      assert.equal(row.dueAt, expected === null ? null : now + expected);
      assert.equal(row.leasedUntil, index === 0 ? null : now + 40);
    }
  });

  example("a task that came back is claimed as its next attempt, with its checkpoint", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const first = await stage.claim(lane, { dueMs: 5, leaseMs: 5 }, now);
    const checkpoint = '{"page":7}';
    await stage.settle(first, [{ type: "release", reason: "drain", checkpoint }], now);
    const { row } = await stage.claim(lane, { assign: true }, now + 1);
    assert.deepEqual([row.attempt, row.version, row.checkpoint], [2, 4, checkpoint]);
    assert.deepEqual([row.claimedAt, row.startedAt, row.activeAt], [now + 1, now + 1, now + 1]);
    assert.deepEqual([row.dueAt, row.leasedUntil], [null, null]);
    assert.deepEqual(await stage.moves(taskId(1)), [
      ...["task.submitted", "task.claimed", "task.released", "task.assigned"],
    ]);
  });

  example("a paused lane gives what it is asked for: pausing is for those who ask", async (stage) => {
    const lane = await stage.begin();
    await stage.amend({ laneLimits: [{ lane, paused: true, maxRunning: null }] });
    await stage.submit(aTask({ lane }));
    assert.equal((await stage.claims([lane])).length, 1);
  });
}
