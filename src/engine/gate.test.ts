import assert from "node:assert/strict";
import { test } from "node:test";
import { gate } from "./gate.ts";

test("no more are inside than allowed, the queue keeps its order, and who finds it full is turned away", async () => {
  const { pass } = gate(2, 2);
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number) => () => {
    began.push(n);
    return new Promise<number>((end) => ends.push(() => end(n)));
  };
  const passing = [1, 2, 3, 4, 5].map((n) => pass(work(n)));
  assert.deepEqual([began, passing[4]], [[1, 2], null]);
  ends[0]?.();
  assert.equal(await passing[0], 1);
  assert.deepEqual(began, [1, 2, 3]);
  assert.notEqual(pass(work(6)), null, "there is room in the queue again");
  for (let n = 1; n < 5; n += 1) {
    ends[n]?.();
    await Promise.resolve().then(() => new Promise(setImmediate));
  }
  assert.deepEqual(began, [1, 2, 3, 4, 6]);
});

test("work that fails gives its place back", async () => {
  const { pass } = gate(1, 0);
  await assert.rejects(pass(() => Promise.reject(new Error("no"))) as Promise<unknown>, /no/);
  assert.equal(await pass(async () => 1), 1);
});

test("of those who wait each caller has one turn after the other, and no more of one wait than may", async () => {
  const { pass } = gate(1, 9, 3);
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (caller: string) =>
    pass(() => {
      began.push(caller);
      return new Promise<void>((end) => ends.push(end));
    }, caller);
  const asked = ["a", "a", "a", "a", "a", "b", "c", "b"].map(ask);
  assert.deepEqual(
    asked.map((passing) => passing === null),
    [false, false, false, false, true, false, false, false],
  );
  for (let n = 0; n < 7; n += 1) {
    ends[n]?.();
    await new Promise(setImmediate);
  }
  assert.deepEqual(began, ["a", "a", "b", "c", "a", "b", "a"]);
});
