import assert from "node:assert/strict";
import type { Message, OpenTask } from "../../ports/records.ts";
import { aTask, aWrite, taskId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { cancel, complete, type Example, type Stage } from "./stage.ts";

const now = worldStart + 50;
const later = now + 1_000;
const release = { type: "release", reason: "later" } as const;

export function messageExamples(example: Example): void {
  example("a ready task is unpublished until its message is confirmed, and unheeded from then on", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }), aTask({ id: taskId(2), lane }));
    assert.deepStrictEqual(await found(stage, lane), { unpublished: ["1 at 1", "2 at 1"], unheeded: [] });
    await stage.store.confirm([message(2, 1)], now);
    await stage.store.confirm([message(2, 1)], now);
    await stage.store.confirm([], now);
    assert.deepStrictEqual(await found(stage, lane), { unpublished: ["1 at 1"], unheeded: ["2 at 1"] });
    await stage.store.confirm([message(1, 1)], now);
    assert.deepStrictEqual(await found(stage, lane), { unpublished: [], unheeded: ["1 at 1", "2 at 1"] });
  });

  example("a task that comes back is unpublished again, whatever is confirmed of its past", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    await stage.store.confirm([message(1, 1)], now);
    await stage.settle(await stage.claim(lane, {}, now), [release], now);
    assert.deepStrictEqual(await found(stage, lane), { unpublished: ["1 at 3"], unheeded: [] });
    await stage.store.confirm([message(1, 1), message(1, 2)], now);
    assert.deepStrictEqual(await found(stage, lane), { unpublished: ["1 at 3"], unheeded: [] });
    await stage.store.confirm([message(1, 3), message(1, 1)], now);
    await stage.store.confirm([message(1, 2)], now);
    assert.deepStrictEqual(await found(stage, lane), { unpublished: [], unheeded: ["1 at 3"] });
  });

  example("whether an open task was told of as it is can be asked of each", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }), aTask({ id: taskId(2), lane }));
    const known = (n: number) => stage.store.read("message", { task: taskId(n) });
    await stage.store.confirm([message(1, 1)], now);
    assert.deepStrictEqual([await known(1), await known(2), await known(3)], [true, false, false]);
    await stage.settle(await stage.claim(lane, { assign: true }, now), [complete], now);
    assert.deepStrictEqual(await known(1), false);
    assert.deepStrictEqual(await stage.store.read("message", { task: "nobody" }), false);
    const taken = await stage.claim(lane, {}, now);
    await stage.store.confirm([message(2, 2)], now);
    assert.deepStrictEqual(await known(2), true);
    await stage.settle(taken, [release], now);
    assert.deepStrictEqual(await known(2), false);
  });

  example("a confirmation of what is not there yet, no longer or not at all changes nothing", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }), aTask({ id: taskId(2), lane }));
    await stage.settle(await stage.claim(lane, { assign: true }, now), [complete], now);
    await stage.store.confirm(
      [message(1, 3), message(1, 1), message(2, 2), message(9, 1), { task: "?", version: 1 }],
      now,
    );
    assert.deepStrictEqual(await found(stage, lane), { unpublished: ["2 at 1"], unheeded: [] });
    await stage.settle(await stage.claim(lane, {}, now), [release], now);
    assert.deepStrictEqual(await found(stage, lane), { unpublished: ["2 at 3"], unheeded: [] });
  });

  example(
    "only what is ready can be told of: nothing held, nothing final, and nothing before its time",
    async (stage) => {
      const lane = await stage.begin();
      await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
      await stage.submit(aTask({ id: taskId(4), lane, runAt: now }));
      await stage.claim(lane, {}, now);
      await stage.settle(await stage.claim(lane, {}, now), [cancel], now);
      assert.deepStrictEqual(await found(stage, lane), { unpublished: ["3 at 1"], unheeded: [] });
      await stage.store.promote(now, 10);
      assert.deepStrictEqual(await found(stage, lane), { unpublished: ["3 at 1", "4 at 1"], unheeded: [] });
    },
  );

  example("messages are found in line order, of their lane alone, as many as were asked for", async (stage) => {
    const [lane, other] = [await stage.begin(), await stage.lane({ queue: "other" })];
    await stage.submit(...[3, 1, 5, 2].map((n) => aTask({ id: taskId(n), lane })));
    await stage.submit(aTask({ id: taskId(4), lane, priority: 5 }), aTask({ id: taskId(6), lane: other }));
    assert.deepEqual((await found(stage, lane)).unpublished, [4, 1, 2, 3, 5].map(firstOf));
    assert.deepEqual((await found(stage, lane, { limit: 2 })).unpublished, [4, 1].map(firstOf));
    await stage.store.confirm(
      [5, 4, 2].map((n) => message(n, 1)),
      now,
    );
    assert.deepStrictEqual(await found(stage, lane, { limit: 2 }), {
      ...{ unpublished: [1, 3].map(firstOf), unheeded: [4, 2].map(firstOf) },
    });
    assert.deepStrictEqual(await found(stage, other), { unpublished: ["6 at 1"], unheeded: [] });
    assert.deepStrictEqual(await found(stage, 99), { unpublished: [], unheeded: [] });
  });

  example("who has moved since then is not found yet, nor at that very instant", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
    const [one, two] = [await stage.claim(lane, {}, now), await stage.claim(lane, {}, now)];
    await stage.settle(one, [release], now);
    await stage.settle(two, [release], now + 1);
    const unpublished = async (activeBefore: number) => (await found(stage, lane, { activeBefore })).unpublished;
    assert.deepEqual(await unpublished(now), []);
    assert.deepEqual(await unpublished(now + 1), ["1 at 3"]);
    assert.deepEqual(await unpublished(now + 2), ["1 at 3", "2 at 3"]);
  });

  example(
    "of the front of a line it is counted who was told of lately; whoever was told of long ago stands in nobody's way",
    async (stage) => {
      const [lane, other] = [await stage.begin(), await stage.lane({ queue: "other" })];
      await stage.submit(...[3, 1, 5, 2, 6].map((n) => aTask({ id: taskId(n), lane })));
      await stage.submit(aTask({ id: taskId(4), lane, priority: 5 }), aTask({ id: taskId(7), lane: other }));
      const told = async (among: number, confirmedSince = now, of = lane) =>
        stage.store.read("toldInFront", { lane: of, confirmedSince, among });
      assert.equal(await told(10), 0);
      await stage.store.confirm([message(1, 1), message(2, 1)], now);
      await stage.store.confirm([message(5, 1), message(7, 1)], now + 5);
      // In line: 4, 1 and 2 with messages, 3, 5 with a newer one, 6.
      assert.deepEqual(await Promise.all([0, 1, 2, 3, 4, 5, 10].map((among) => told(among))), [0, 0, 1, 2, 2, 3, 3]);
      assert.deepEqual(await Promise.all([1, 2, 3, 4].map((among) => told(among, now + 1))), [0, 0, 1, 1]);
      assert.deepEqual(await Promise.all([told(9, now + 6), told(9, now, other), told(9, now, 99)]), [0, 1, 0]);
      await stage.settle(await stage.claim(lane, {}, now), [release], now);
      await stage.store.confirm([message(4, 1)], now);
      assert.equal(await told(10), 3, "of a version that has passed nobody was told");
      await stage.claims([lane], { limit: 2 }, now);
      assert.equal(await told(10), 2, "whoever is taken waits no more");
    },
  );

  example("a child that is counted on a task that waits neither makes it untold nor ready anew", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
    await stage.store.confirm([message(1, 1)], now);
    await counted(stage, 1, now + 50);
    await counted(stage, 2, now + 50);
    assert.deepStrictEqual(await found(stage, lane, { activeBefore: now }), {
      ...{ unpublished: ["2 at 2"], unheeded: ["1 at 2"] },
    });
    assert.deepStrictEqual(await found(stage, lane, { activeBefore: worldStart, confirmedBefore: now }), {
      ...{ unpublished: [], unheeded: [] },
    });
    const told = (n: number) => stage.store.read("message", { task: taskId(n) });
    const inFront = () => stage.store.read("toldInFront", { lane, confirmedSince: now, among: 9 });
    assert.deepStrictEqual([await told(1), await told(2), await inFront()], [true, false, 1]);
    await counted(stage, 2, now + 60);
    await stage.store.confirm([message(2, 4), message(2, 1), message(2, 2), message(2, 1)], now + 70);
    assert.deepStrictEqual([await told(2), await inFront()], [true, 2]);
    await stage.settle(await stage.claim(lane, {}, now + 80), [release], now + 80);
    await counted(stage, 1, now + 90);
    await stage.store.confirm([message(1, 2)], now + 95);
    assert.deepStrictEqual(await found(stage, lane), { unpublished: ["1 at 5"], unheeded: ["2 at 3"] });
    assert.deepEqual((await found(stage, lane, { activeBefore: now + 80 })).unpublished, []);
    assert.deepEqual((await found(stage, lane, { activeBefore: now + 81 })).unpublished, ["1 at 5"]);
    await stage.store.confirm([message(1, 4)], now + 95);
    assert.deepEqual((await found(stage, lane)).unpublished, []);
  });

  example("a message counts from its last confirmation, not from when its task last moved", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(...[1, 2, 3].map((n) => aTask({ id: taskId(n), lane })));
    await stage.store.confirm([message(1, 1), message(3, 1)], now);
    await stage.store.confirm([message(2, 1)], now + 1);
    const unheeded = async (confirmedBefore: number) => (await found(stage, lane, { confirmedBefore })).unheeded;
    assert.deepEqual(await unheeded(now), []);
    assert.deepEqual(await unheeded(now + 1), [1, 3].map(firstOf));
    await stage.store.confirm([message(3, 1)], now + 2);
    assert.deepEqual(await unheeded(now + 1), ["1 at 1"]);
    assert.deepEqual(await unheeded(now + 2), [1, 2].map(firstOf));
    assert.deepEqual(await unheeded(now + 3), [1, 2, 3].map(firstOf));
    await stage.settle(await stage.claim(lane, {}, now + 5), [release], now + 5);
    await stage.store.confirm([message(1, 3)], now + 9);
    assert.deepEqual(await unheeded(now + 9), [2, 3].map(firstOf));
    assert.deepEqual(new Set(await unheeded(now + 10)), new Set(["1 at 3", "2 at 1", "3 at 1"]));
  });
}

async function counted(stage: Stage, n: number, at: number): Promise<void> {
  await stage.store.amend({ tasks: [taskId(n)] }, ({ tasks }) => {
    const task = tasks.get(taskId(n)) as OpenTask;
    return { answer: null, tasks: [aWrite(task, [{ type: "count", done: 1, failed: 0 }], at)] };
  });
}

const message = (n: number, version: number): Message => ({ task: taskId(n), version });
const firstOf = (n: number): string => `${n} at 1`;

async function found(
  stage: Stage,
  lane: number,
  about: { activeBefore?: number; confirmedBefore?: number; limit?: number } = {},
) {
  const query = { lane, activeBefore: later, confirmedBefore: later, limit: 10, ...about };
  const words = ({ task, version }: Message) => `${numberOf(task)} at ${version}`;
  return {
    unpublished: (await stage.store.find("unpublished", query)).map(words),
    unheeded: (await stage.store.find("unheeded", query)).map(words),
  };
}

function numberOf(id: string): number | undefined {
  return [1, 2, 3, 4, 5, 6].find((n) => taskId(n) === id);
}
