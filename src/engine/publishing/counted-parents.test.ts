import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrokerWorld, brokerWorld } from "../../testing/broker-world.ts";
import { settled } from "../../testing/world.ts";

/** A parent that waits in queue `jobs`, and children of which one ends each time. */
async function family(
  children: number,
  about: { options?: Parameters<typeof brokerWorld>[0]; refused?: boolean; maxRunning?: number } = {},
) {
  const w: BrokerWorld = await brokerWorld(about.options);
  const job = await w.job();
  if (about.maxRunning !== undefined) {
    const [first] = (await w.submitted(job)) as [string];
    w.courier.take("jobs");
    await w.engine.cancel({ id: first, actor: null });
    const [lane] = w.engine.catalog.lanesOfJob(job) as [number];
    await w.engine.lanes.setLimits(lane, { paused: false, maxRunning: about.maxRunning });
  }
  if (about.refused) w.courier.fate("refuse", 1);
  const [parent] = (await w.submitted(job)) as [string];
  const childJob = await w.job("@global:modifiers:Other");
  const helper = await w.worker([childJob]);
  for (let n = 0; n < children; n += 1) await w.submit(childJob, { parent });
  const wait = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await w.engine.beat(helper);
      await w.pass(1_000);
    }
  };
  const endOne = async (seconds: number) => {
    const [child] = await w.claim(helper);
    await w.engine.settle(child?.card.id as string, { worker: helper, attempt: 1 }, { type: "complete", result: null });
    await wait(seconds);
  };
  return { w, job, parent, endOne, wait };
}

test("a parent that waits for its next attempt is told of once, whichever of its children end meanwhile", async () => {
  const { w, parent, endOne } = await family(5);
  for (let n = 0; n < 5; n += 1) await endOne(7);
  assert.deepEqual(w.waiting(), [parent]);
  assert.equal((await w.task(parent)).row.version, 6);
  await w.stop();
});

test("a parent whose message was refused is told of soon, though its children go on ending", async () => {
  const { w, parent, endOne } = await family(5, { refused: true });
  for (let n = 0; n < 3; n += 1) await endOne(3);
  assert.deepEqual(w.waiting(), [parent]);
  for (let n = 0; n < 2; n += 1) await endOne(3);
  assert.deepEqual(w.waiting(), [parent]);
  await w.stop();
});

test("a parent that was told of keeps its place in a lane with a limit, whichever of its children end", async () => {
  const { w, job, parent, endOne } = await family(2, { maxRunning: 1 });
  await w.submitted(job, 2);
  for (let n = 0; n < 2; n += 1) await endOne(7);
  assert.deepEqual(w.waiting(), [parent]);
  await w.stop();
});

test("a parent whose child ends while its message is under way was told of", async () => {
  let during = async (): Promise<void> => {};
  const { w, parent, endOne, wait } = await family(3, {
    refused: true,
    options: {
      between: (store) => ({
        ...store,
        async confirm(messages, at) {
          await during();
          await store.confirm(messages, at);
        },
      }),
    },
  });
  const ends: Promise<void>[] = [];
  during = async () => {
    if (ends.length < 3) ends.push(endOne(0));
    await settled();
  };
  await wait(20);
  await Promise.all(ends);
  assert.equal(ends.length, 1);
  assert.deepEqual(w.waiting(), [parent]);
  assert.equal((await w.task(parent)).row.version, 2);
  await w.stop();
});
