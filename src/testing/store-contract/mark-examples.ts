import assert from "node:assert/strict";
import type { Children } from "../../core/family.ts";
import { chunkBits, type MarkChunk, markKey } from "../../core/marks.ts";
import type { OpenTask } from "../../ports/records.ts";
import type { AmendView } from "../../ports/store.ts";
import { aSlice, aTask, aWrite, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { complete, type Example, type Stage } from "./stage.ts";

const now = worldStart + 50;

export function markExamples(example: Example): void {
  example("marks of the scope are shown as they were last written, each chunk by itself", async (stage) => {
    await begin(stage);
    const [first, second] = [aMark(1, 0, [1, 2]), aMark(1, 7, [255])];
    const other = aMark(2, 0, [0, 128]);
    await write(stage, [first, second, other]);
    assert.deepStrictEqual(await marksOf(stage, [first, second, other]), byKey(first, second, other));
    assert.deepStrictEqual(await marksOf(stage, [second]), byKey(second));
    assert.deepStrictEqual(await marksOf(stage, [aMark(1, 1), aMark(9, 0)]), new Map());
    assert.deepStrictEqual(await marksOf(stage, []), new Map());
    const again = aMark(1, 0, [3, 2, 1], [8]);
    await write(stage, [again]);
    assert.deepStrictEqual(await marksOf(stage, [first, second]), byKey(again, second));
  });

  example("a full chunk, an empty one, and the last of very many are kept to the bit", async (stage) => {
    await begin(stage);
    const odd = Array.from({ length: chunkBits / 8 }, (_, n) => (n * 37) & 255);
    const marks = [aMark(1, 0, odd, odd.toReversed()), aMark(1, 1, [], []), aMark(1, 2 ** 31 - 1, [0, 0, 1])];
    await write(stage, marks);
    assert.deepStrictEqual(await marksOf(stage, marks), byKey(...marks));
  });

  example("what was written or shown can be changed by its owner without a mark changing", async (stage) => {
    await begin(stage);
    const mine = aMark(1, 0, [1]);
    await write(stage, [mine]);
    mine.done[0] = 9;
    (await marksOf(stage, [mine])).get(markKey(mine))?.done.fill(8);
    assert.deepStrictEqual(await marksOf(stage, [mine]), byKey(aMark(1, 0, [1])));
  });

  example("marks that the scope does not name, or of a task that has ended, are not written", async (stage) => {
    const [task] = await begin(stage);
    const [named, unnamed] = [aMark(1, 0), aMark(1, 1)];
    const scope = { tasks: [taskId(1)], marks: [named] };
    await assert.rejects(
      stage.store.amend(scope, () => ({ answer: null, marks: [unnamed] })),
      /only marks of the scope/,
    );
    await stage.settle(task as OpenTask, [complete], now);
    await assert.rejects(
      stage.store.amend(scope, () => ({ answer: null, marks: [named] })),
      /only marks of the scope/,
    );
    assert.deepStrictEqual(await marksOf(stage, [named, unnamed]), new Map());
  });

  example("of many who count at once, none loses what another has marked", async (stage) => {
    await begin(stage);
    const counts = Array.from({ length: 16 }, (_, n) =>
      stage.store.amend({ tasks: [taskId(1)], marks: [aMark(1, 0)] }, ({ marks }) => {
        const done = Uint8Array.from(marks.get(markKey(aMark(1, 0)))?.done ?? new Uint8Array(16));
        done[n] = 255;
        return { answer: null, marks: [{ ...aMark(1, 0), done }] };
      }),
    );
    await Promise.all(counts);
    assert.deepStrictEqual(await marksOf(stage, [aMark(1, 0)]), byKey(aMark(1, 0, Array(16).fill(255))));
  });

  example("marks stay when their task ends, and go when it is pruned", async (stage) => {
    const [task] = await begin(stage);
    const marks = [aMark(1, 0, [1]), aMark(1, 3, [1]), aMark(2, 0, [2])];
    await write(stage, marks);
    await stage.settle(task as OpenTask, [complete], now);
    assert.deepStrictEqual(await marksOf(stage, marks), byKey(...marks));
    assert.equal(await stage.store.prune(aSlice({ tasks: [taskId(1)] })), 1);
    assert.deepStrictEqual(await marksOf(stage, marks), byKey(aMark(2, 0, [2])));
  });

  example("what is known of children beside their number is kept, to the end and beyond", async (stage) => {
    const lane = await stage.begin();
    await stage.submit(aTask({ lane }));
    const more = { unindexed: true, errors: ["one", "\u{1f98a}\n"] };
    const children = { total: null, done: 1, failed: 2, patience: null, ...more } as Children;
    const knowing = (task: OpenTask) => ({ ...task, row: { ...task.row, children } });
    const held = knowing(await stage.claim(lane, { assign: true }, now));
    await stage.settle(held, [{ type: "release", reason: "later" }], now);
    assert.deepStrictEqual((await stage.task(taskId(1)))?.row.children, children);
    const again = await stage.claim(lane, { assign: true }, now);
    assert.deepStrictEqual(again.row.children, children);
    const { answer } = await stage.store.amend({ heldBy: [workerId(1)] }, (view: AmendView) => ({
      answer: view.tasks,
    }));
    assert.deepStrictEqual(answer.get(taskId(1))?.row.children, children);
    await stage.store.exchange([aWrite(again, [complete], now)], [], now);
    assert.deepStrictEqual((await stage.task(taskId(1)))?.row.children, children);
  });
}

/** Two tasks in the hands of a worker. */
async function begin(stage: Stage): Promise<readonly OpenTask[]> {
  const lane = await stage.begin();
  await stage.submit(...[1, 2].map((n) => aTask({ id: taskId(n), lane })));
  return stage.claims([lane], { limit: 2, assign: true }, now);
}

function aMark(n: number, chunk: number, done: readonly number[] = [0], failed: readonly number[] = [0]): MarkChunk {
  return { task: taskId(n), chunk, done: Uint8Array.from(done), failed: Uint8Array.from(failed) };
}

function byKey(...marks: readonly MarkChunk[]): Map<string, MarkChunk> {
  return new Map(marks.map((mark) => [markKey(mark), mark]));
}

async function write(stage: Stage, marks: readonly MarkChunk[]): Promise<void> {
  await stage.store.amend({ tasks: marks.map(({ task }) => task), marks }, () => ({ answer: null, marks }));
}

async function marksOf(stage: Stage, marks: readonly MarkChunk[]): Promise<AmendView["marks"]> {
  const tasks = marks.map(({ task }) => task);
  const { answer } = await stage.store.amend({ tasks, marks }, (view) => ({ answer: view.marks }));
  return new Map(answer);
}
