import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Children, childrenAfter, childrenVerdict, noChildren } from "./family.ts";
import {
  chunkBits,
  chunksOf,
  emptyChunk,
  type Mark,
  type MarkChunk,
  marked,
  markKey,
  population,
  strayMark,
  tallied,
} from "./marks.ts";

const task = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";

/** A coordinator's counters and chunks after some commits, each with many marks, and how often it was closed. */
function play(total: number, commits: readonly (readonly Mark[])[]) {
  const chunks = new Map<string, MarkChunk>();
  let children: Children = { ...noChildren, total };
  let closed = 0;
  for (const marks of commits) {
    if (closed > 0) break;
    const after = tallied(
      task,
      chunks,
      marks.map((mark) => ({ ...mark, error: null })),
    );
    for (const chunk of after.chunks) chunks.set(markKey(chunk), chunk);
    if (after.tally.done + after.tally.failed === 0) continue;
    children = childrenAfter(children, after.tally);
    if (childrenVerdict(children, {}) !== null) closed += 1;
  }
  return { children, chunks: [...chunks.values()], closed };
}

const indexes = fc.oneof(fc.nat(40), fc.integer({ min: chunkBits - 20, max: chunkBits + 20 }));
const marks = fc.record({ index: indexes, failed: fc.boolean() });
const commits = fc.array(fc.array(marks, { maxLength: 30 }), { maxLength: 20 });

test("counters are the number of different messages, in any order, with any repeats, in any grouping", () => {
  fc.assert(
    fc.property(commits, (groups) => {
      const { children, chunks } = play(2 ** 30, groups);
      const first = new Map<number, boolean>();
      for (const { index, failed } of groups.flat()) if (!first.has(index)) first.set(index, failed);
      const failed = [...first.values()].filter((each) => each).length;
      assert.deepEqual([children.done, children.failed], [first.size - failed, failed]);
      const sum = (bits: "done" | "failed") => chunks.reduce((all, chunk) => all + population(chunk[bits]), 0);
      assert.deepEqual([sum("done"), sum("failed")], [children.done, children.failed]);
    }),
    { numRuns: 500 },
  );
});

test("a parent whose messages all came, however often, is closed exactly once", () => {
  const whole = fc
    .tuple(
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.nat(59), { maxLength: 60 }),
      fc.nat(3),
      fc.infiniteStream(fc.nat(7)),
    )
    .chain(([total, repeats, failing, sizes]) => {
      const all = [...Array(total).keys(), ...repeats.map((index) => index % total)];
      return fc.tuple(
        fc.constant(total),
        fc
          .shuffledSubarray([...all.keys()], { minLength: all.length })
          .map((order) => order.map((n) => all[n] as number)),
        fc.constant(failing),
        fc.constant(sizes),
      );
    });
  fc.assert(
    fc.property(whole, ([total, order, failing, sizes]) => {
      const groups: Mark[][] = [];
      let rest = order.map((index) => ({ index, failed: failing > 0 && index % failing === 0 }));
      while (rest.length > 0) {
        const size = 1 + (sizes.next().value as number);
        groups.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      const { children, closed } = play(total, groups);
      assert.equal(closed, 1);
      assert.equal(children.done + children.failed, total);
    }),
    { numRuns: 300 },
  );
});

test("the first mark of a message wins, and a repeat changes nothing", () => {
  const [done, failed] = [
    { index: 3, failed: false },
    { index: 3, failed: true },
  ];
  const once = marked(emptyChunk({ task, chunk: 0 }), [done, failed]);
  assert.deepEqual(once.counted, [done]);
  const again = marked(once.chunk, [failed]);
  assert.deepEqual(again.counted, []);
  assert.equal(again.chunk, once.chunk);
});

test("what has no index counts every time, and is told; why something failed is kept where it counts", () => {
  const failed = { index: 7, failed: true, error: "no space" };
  const done = { index: 7, failed: false, error: null };
  const unindexed = { index: null, failed: false, error: null };
  const first = tallied(task, new Map(), [unindexed, unindexed, done, failed]);
  assert.deepEqual(first.tally, { done: 3, failed: 0, unindexed: true });
  assert.deepEqual(tallied(task, new Map(), [failed, done]).tally, { done: 0, failed: 1, errors: ["no space"] });
});

test("marks concern the chunks of their messages", () => {
  const at = (index: number | null) => ({ index, failed: false, error: null });
  assert.deepEqual(chunksOf([at(0), at(null), at(chunkBits - 1), at(chunkBits), at(3 * chunkBits)]), [0, 1, 3]);
});

test("bits are as long as the last of them asks for, and a chunk has no more than its own", () => {
  const few = marked(emptyChunk({ task, chunk: 2 }), [{ index: 2 * chunkBits + 9, failed: true }]).chunk;
  assert.deepEqual([few.done.length, [...few.failed]], [0, [0, 2]]);
  const full = marked(emptyChunk({ task, chunk: 0 }), [{ index: chunkBits - 1, failed: false }]).chunk;
  assert.equal(full.done.length, chunkBits / 8);
});

test("a mark beyond the total is astray, one without an index or before the total is known is not", () => {
  const marks = [{ index: 0 }, { index: null }, { index: 3 }];
  assert.deepEqual([strayMark(3, marks), strayMark(4, marks), strayMark(null, marks)], [2, -1, -1]);
});
