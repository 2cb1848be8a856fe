import assert from "node:assert/strict";
import { test } from "node:test";
import { aCall, aDemand, aTaker, aTask, aWorker, jobName, taskId, workerId } from "../../testing/builders.ts";
import { stageOn } from "../../testing/store-contract/stage.ts";
import { storeContract } from "../../testing/store-contract.ts";
import { memoryStore } from "./memory-store.ts";

// The histories compare the store with itself, so what counts here is that everything it keeps holds together.
storeContract("memory store", async () => ({ store: memoryStore(), dispose: async () => {} }), {
  histories: { runs: 2_000, limitMs: 8_000 },
});

test("what was handed in may be changed afterwards without the store noticing", async () => {
  const stage = stageOn(memoryStore());
  const lane = await stage.begin();
  const task = structuredClone(aTask({ lane, policy: { retry: { maxAttempts: 2 } } }));
  await stage.submit(task);
  const worker = aWorker({ id: workerId(2) });
  await stage.amend({ workers: [worker] });
  Object.assign(task.card.policy.retry ?? {}, { maxAttempts: 99 });
  (worker.jobs as Map<string, string | null>).clear();
  assert.deepEqual((await stage.task(taskId(1)))?.card.policy, { retry: { maxAttempts: 2 } });
  const [kept] = await stage.store.read("workers", { ids: [workerId(2)] });
  assert.deepEqual([...(kept?.jobs ?? [])], [[jobName, null]]);
});

test("what was handed out cannot be used to change what the store keeps", async () => {
  const stage = stageOn(memoryStore());
  const lane = await stage.begin();
  await stage.submit(aTask({ lane, policy: { retry: { maxAttempts: 2 } } }));
  const before = structuredClone(await stage.task(taskId(1)));
  const task = await stage.task(taskId(1));
  assert(task !== undefined);
  for (const part of [task.card, task.card.policy, task.card.policy.retry, task.row]) {
    assert.throws(() => Object.assign(part ?? {}, { id: "other", maxAttempts: 5 }), TypeError);
  }
  Object.assign(task, { payload: "other" });
  assert.deepEqual(await stage.task(taskId(1)), before);
  const [worker] = await stage.store.read("workers", { ids: [workerId(1)] });
  assert(worker !== undefined);
  (worker.jobs as Map<string, string | null>).clear();
  assert.deepEqual(await stage.store.read("workers", { ids: [workerId(1)] }), [aWorker()]);
  const { items } = await stage.store.read("events", { task: taskId(1), limit: 9, offset: 0 });
  (items as unknown[]).length = 0;
  assert.equal((await stage.moves(taskId(1))).length, 1);
});

test("a claim costs the same however many tasks wait", async () => {
  const stage = stageOn(memoryStore());
  const lane = await stage.begin();
  const steps = 100;
  for (let from = 0; from < steps; from += 1) {
    const tasks = Array.from({ length: 1_000 }, (_, n) => aTask({ id: taskId(from * 1_000 + n), lane }));
    await stage.store.submit([aCall({ tasks })]);
  }
  let claimed = 0;
  for (let calls = 0; calls < 20_000; calls += 1) {
    const answer = await stage.store.exchange([], [aDemand({ lanes: [lane], takers: [aTaker()] })], 0);
    claimed += answer.claimed.flat(2).length;
  }
  assert.equal(claimed, 20_000);
});

test("a store has the secret it was given", async () => {
  assert.deepEqual(await memoryStore({ secret: "s" }).start(), {
    ...{ kind: "memory", secret: "s", width: 1, shared: false },
  });
});
