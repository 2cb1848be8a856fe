import assert from "node:assert/strict";
import { test } from "node:test";
import * as examples from "../protocol/rest/examples.ts";
import type { WorkerAnswer } from "./answers.ts";
import { wideCells, wideColumns, workerCells, workerColumns, workerMembers } from "./worker-text.ts";

function shown(words: Partial<WorkerAnswer>): { readonly holds: unknown; readonly note: unknown } {
  const cells = workerCells({ ...(examples.workerDetail as WorkerAnswer), ...words }, 0);
  const cell = (head: string): unknown => cells[workerColumns.findIndex((column) => column.head === head)];
  return { holds: cell("HOLDS"), note: cell("NOTE") };
}

test("what a worker holds is told with the smaller of what it says and what an operator allows", () => {
  for (const [capacity, limit, holds] of [
    [4, null, "1 of 4"],
    [4, 2, "1 of 2"],
    [4, 8, "1 of 4"],
    [null, 3, "1 of 3"],
    [null, null, "1"],
  ] as const) {
    assert.equal(shown({ capacity, concurrency_limit: limit }).holds, holds);
  }
});

test("a worker that an operator limits is noted, beside all else that is worth a note", () => {
  assert.equal(shown({ concurrency_limit: 2 }).note, "limited");
  assert.equal(shown({ concurrency_limit: 2, draining: true, paused: true }).note, "draining, paused, limited");
  assert.equal(shown({}).note, "");
});

test("a worker that somebody has paused or drains is told so once, with who did it where that is known", () => {
  const [by, at] = ["ada", "2026-11-15T20:06:09.920Z"];
  const told = (words: Partial<WorkerAnswer>): string[] =>
    workerMembers({ ...(examples.workerDetail as WorkerAnswer), ...words }, 0).flatMap(([name, cell]) =>
      ["asked to", "paused", "drains"].includes(name) && cell !== null ? [name] : [],
    );
  const pause = { by, note: null, at, until: null };
  const drain = { by, note: null, at, deadline: null };
  assert.deepEqual(told({ paused: true, pause }), ["paused"]);
  assert.deepEqual(told({ paused: true }), ["asked to"]);
  assert.deepEqual(told({ draining: true, drain }), ["drains"]);
  assert.deepEqual(told({ draining: true }), ["asked to"]);
  assert.deepEqual(told({}), []);
});

test("more is told of a worker where there is room for it, as far as it is known", () => {
  const cellsOf = (words: Partial<WorkerAnswer>) => {
    const cells = wideCells({ ...(examples.workerDetail as WorkerAnswer), ...words });
    return Object.fromEntries(wideColumns.map(({ head }, nth) => [head, cells[nth]]));
  };
  const status = { cpuPercent: null, ramBytes: null, loopLagMs: 2.6 };
  assert.deepEqual(cellsOf({ os: "linux", version: "1.4.0", labels: { zone: "a", gpu: "no" }, status }), {
    ...{ OS: "linux", VERSION: "1.4.0", LAG: "3 ms", LABELS: "zone=a, gpu=no" },
  });
  const nothing = { os: null, version: null, labels: {}, status: { ...status, loopLagMs: null } };
  assert.deepEqual(Object.values(cellsOf(nothing)), ["", "", "", ""]);
});

test("one task is one task", () => {
  const limit = (value: number): unknown => {
    const worker = { ...(examples.workerDetail as WorkerAnswer), concurrency_limit: value };
    return workerMembers(worker, 0).find(([name]) => name === "limit")?.[1];
  };
  assert.deepEqual([limit(1), limit(2)], ["1 task", "2 tasks"]);
});
