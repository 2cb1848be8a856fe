import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../core/problem.ts";
import type { ClaimedTask } from "../ports/records.ts";
import { until } from "../testing/until.ts";
import { type World, world } from "../testing/world.ts";
import type { Ending } from "./concluding-all.ts";

const done = { type: "complete", result: "1" } as const;

function endingOf({ card, row }: ClaimedTask, move: Ending["move"] = done): Ending {
  return { task: card.id, attempt: row.attempt, move };
}

type Told = readonly [task: string, code: Problem["code"] | null];

/** What was told of each, in order. */
async function conclude(w: World, worker: string, endings: readonly Ending[]): Promise<Told[]> {
  const told: Told[] = [];
  w.engine.concludeAll(worker, endings, ({ task }, refusal) => told.push([task, refusal?.code ?? null]));
  assert.equal(told.length, 0, "nobody hears of anything before it is written");
  await until("every end is told of", () => told.length === endings.length);
  return told;
}

async function begin(count: number) {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  for (let nth = 0; nth < count; nth += 1) await w.submit(job);
  return { w, worker, hand: await w.claim(worker, count, true) };
}

test("a hundred ends told in one breath are written, and told of in their order", async () => {
  const { w, worker, hand } = await begin(100);
  const told = await conclude(
    w,
    worker,
    hand.map((task) => endingOf(task)),
  );
  assert.deepEqual(
    told,
    hand.map(({ card }) => [card.id, null]),
  );
  for (const { card } of hand) assert.equal((await w.task(card.id)).outcome?.result, "1");
});

test("of ends told in one breath those that may not be are refused, and the others stand", async () => {
  const { w, worker, hand } = await begin(4);
  const [first, second, third, fourth] = hand as [ClaimedTask, ClaimedTask, ClaimedTask, ClaimedTask];
  await w.engine.cancel({ id: second.card.id, actor: null });
  const huge = { type: "complete", result: "x".repeat(2_000_000) } as const;
  const old = { ...endingOf(fourth), attempt: 9 };
  const told = new Map(await conclude(w, worker, [endingOf(first), endingOf(second), endingOf(third, huge), old]));
  assert.equal(told.get(first.card.id), null);
  assert.equal(told.get(second.card.id), "invalid-task-transition");
  assert.equal(told.get(third.card.id), "payload-too-large");
  assert.equal(told.get(fourth.card.id), "lease-lost");
  assert.deepEqual(await w.history(fourth.card.id), ["submitted", "assigned"]);
  const { refusals } = await w.store.read("events", { task: fourth.card.id, limit: 9, offset: 0 });
  assert.equal(refusals.length, 1);
});

test("the same end twice in one breath is accepted twice and written once", async () => {
  const { w, worker, hand } = await begin(1);
  const [task] = hand as [ClaimedTask];
  const told = await conclude(w, worker, [endingOf(task), endingOf(task)]);
  assert.deepEqual(
    told.map(([, code]) => code),
    [null, null],
  );
  assert.deepEqual(await w.history(task.card.id), ["submitted", "assigned", "completed"]);
});

test("progress that waits to be written comes before the end", async () => {
  const { w, worker, hand } = await begin(1);
  const [{ card, row }] = hand as [ClaimedTask];
  const fence = { holder: { worker, attempt: row.attempt } };
  for (const current of [1, 2]) await w.engine.progress(card.id, fence, { current });
  await conclude(
    w,
    worker,
    hand.map((task) => endingOf(task)),
  );
  assert.deepEqual((await w.task(card.id)).row.progress?.current, 2);
  assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "progressed", "progressed", "completed"]);
});

test("a server that is stopping refuses every one of them", async () => {
  const { w, worker, hand } = await begin(2);
  await w.engine.stop();
  const told = await conclude(
    w,
    worker,
    hand.map((task) => endingOf(task)),
  );
  assert.deepEqual(
    told.map(([, code]) => code),
    ["stopping", "stopping"],
  );
});

test("whoever fails at being told keeps nobody else from being told, and nothing is written twice", async () => {
  const { w, worker, hand } = await begin(3);
  const told: (string | null)[] = [];
  const endings = hand.map((task) => endingOf(task));
  w.engine.concludeAll(worker, endings, (_, refusal) => {
    told.push(refusal?.code ?? null);
    if (told.length === 1) throw new Error("the line is gone");
  });
  await until("every end is told of", () => told.length === 3);
  assert.deepEqual(told, [null, null, null]);
  for (const { card } of hand) assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "completed"]);
});
