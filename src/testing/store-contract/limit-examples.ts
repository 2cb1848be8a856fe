import assert from "node:assert/strict";
import type { OpenTask } from "../../ports/records.ts";
import { aDemand, aTaker, aTask, aWrite, taskId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { complete, type Example, ids, type Stage, start } from "./stage.ts";

const now = worldStart + 50;

export function limitExamples(example: Example): void {
  example("a limited lane gives no more than its limit leaves over", async (stage) => {
    const lane = await limitedLane(stage, 3);
    await stage.submit(...numbers(1, 9).map((n) => aTask({ id: taskId(n), lane })));
    assert.deepEqual(await claimLimited(stage, [lane], 2), [taskId(1), taskId(2)]);
    assert.deepEqual(await claimLimited(stage, [lane], 9), [taskId(3)]);
    assert.deepEqual(await claimLimited(stage, [lane], 9), []);
  });

  example("what a write gives back makes room for the claims of the same call", async (stage) => {
    const lane = await limitedLane(stage, 2);
    await stage.submit(...numbers(1, 9).map((n) => aTask({ id: taskId(n), lane })));
    const [first, second] = await stage.claims([lane], { limit: 2 }, now);
    const writes = [first, second].map((task) => aWrite(task as OpenTask, [start, complete], now));
    const demand = aDemand({ lanes: [lane], limited: [lane], takers: [aTaker({ limit: 9 })] });
    const { claimed } = await stage.store.exchange(writes, [demand], now);
    assert.deepEqual(ids(claimed[0]?.[0] ?? []), [taskId(3), taskId(4)]);
  });

  example("a write that lost makes no room", async (stage) => {
    const lane = await limitedLane(stage, 1);
    await stage.submit(...numbers(1, 3).map((n) => aTask({ id: taskId(n), lane })));
    const task = await stage.claim(lane, {}, now);
    await stage.settle(task, [start], now);
    const demand = aDemand({ lanes: [lane], limited: [lane], takers: [aTaker({ limit: 9 })] });
    const { written, claimed } = await stage.store.exchange([aWrite(task, [start, complete], now)], [demand], now);
    assert.deepEqual([written, claimed], [[false], [[[]]]]);
  });

  example("the limit is shared by the takers and the demands of one call", async (stage) => {
    const lane = await limitedLane(stage, 4);
    await stage.submit(...numbers(1, 9).map((n) => aTask({ id: taskId(n), lane })));
    const takers = [aTaker({ limit: 1 }), aTaker({ limit: 2 })];
    const demand = aDemand({ lanes: [lane], limited: [lane], takers });
    const { claimed } = await stage.store.exchange([], [demand, demand], now);
    assert.deepEqual(
      claimed.map((tasks) => tasks.map(ids)),
      [
        [[taskId(1)], [taskId(2), taskId(3)]],
        [[taskId(4)], []],
      ],
    );
  });

  example("a full lane is passed over and the others go on, still in order", async (stage) => {
    const [lane, open] = [await limitedLane(stage, 2), await stage.lane({ queue: "open" })];
    await stage.submit(
      ...numbers(1, 5).map((n) => aTask({ id: taskId(n), lane, priority: 1 })),
      ...numbers(6, 8).map((n) => aTask({ id: taskId(n), lane: open })),
    );
    assert.deepEqual(await claimLimited(stage, [open, lane], 4, [lane]), [1, 2, 6, 7].map(taskId));
  });

  example("only tasks in a worker's hands count, not delayed, waiting or deferred ones", async (stage) => {
    const lane = await limitedLane(stage, 1);
    await stage.submit(
      aTask({ id: taskId(1), lane }),
      aTask({ id: taskId(2), lane }),
      aTask({ id: taskId(3), lane, runAt: now + 1_000 }),
    );
    const parent = await stage.claim(lane, {}, now);
    assert.deepEqual(await claimLimited(stage, [lane], 1), []);
    await stage.settle(parent, [start, { type: "defer", total: 1 }], now);
    assert.deepEqual(await claimLimited(stage, [lane], 1), [taskId(2)]);
  });

  example("a limit of nothing gives nothing, one below what is held too, a lifted one gives all", async (stage) => {
    const lane = await limitedLane(stage, 0);
    await stage.submit(...numbers(1, 5).map((n) => aTask({ id: taskId(n), lane })));
    assert.deepEqual(await claimLimited(stage, [lane], 9), []);
    await stage.claims([lane], { limit: 2 }, now);
    await stage.amend({ laneLimits: [{ lane, paused: false, maxRunning: 1 }] });
    assert.deepEqual(await claimLimited(stage, [lane], 9), []);
    await stage.amend({ laneLimits: [{ lane, paused: false, maxRunning: null }] });
    assert.deepEqual(await claimLimited(stage, [lane], 9), [3, 4, 5].map(taskId));
  });

  example("whoever takes tasks by name sees under the lock how many more may be taken", async (stage) => {
    const [lane, open] = [await limitedLane(stage, 3), await stage.lane({ queue: "open" })];
    await stage.submit(...numbers(1, 5).map((n) => aTask({ id: taskId(n), lane })));
    const rooms = () =>
      stage.store.amend({ lanes: [open, lane, 4_711, lane] }, (view) => ({ answer: [...view.rooms] }));
    assert.deepEqual((await rooms()).answer, [[lane, 3]]);
    await stage.claims([lane], { limit: 2 }, now);
    assert.deepEqual((await rooms()).answer, [[lane, 1]]);
    await stage.amend({ laneLimits: [{ lane, paused: false, maxRunning: 1 }] });
    assert.deepEqual((await rooms()).answer, [[lane, -1]]);
    const without = await stage.store.amend({}, (view) => ({ answer: view.rooms.size }));
    assert.equal(without.answer, 0);
  });

  example("a limit that the demand does not name is not looked at", async (stage) => {
    const lane = await limitedLane(stage, 1);
    await stage.submit(...numbers(1, 3).map((n) => aTask({ id: taskId(n), lane })));
    assert.deepEqual(ids(await stage.claims([lane], { limit: 3 }, now)), [1, 2, 3].map(taskId));
  });
}

async function limitedLane(stage: Stage, maxRunning: number): Promise<number> {
  const lane = await stage.begin();
  await stage.amend({ laneLimits: [{ lane, paused: false, maxRunning }] });
  return lane;
}

async function claimLimited(stage: Stage, lanes: number[], limit: number, limited = lanes): Promise<string[]> {
  const { claimed } = await stage.store.exchange([], [aDemand({ lanes, limited, takers: [aTaker({ limit })] })], now);
  return ids(claimed[0]?.[0] ?? []);
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
