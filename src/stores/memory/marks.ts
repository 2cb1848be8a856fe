// Which of a coordinator's messages have been counted. Bytes cannot be frozen, so they are copied both ways.

import assert from "node:assert/strict";
import { type MarkChunk, markKey } from "../../core/marks.ts";
import type { Amendment, AmendScope, AmendView } from "../../ports/store.ts";
import type { Memory } from "./memory.ts";

export function lockedMarks(memory: Memory, { marks = [] }: AmendScope): ReadonlyMap<string, MarkChunk> {
  return new Map(
    marks.flatMap((mark) => {
      const known = memory.tasks.get(mark.task)?.marks.get(mark.chunk);
      return known === undefined ? [] : [[markKey(mark), copyOf(known)] as const];
    }),
  );
}

export function checkMarks(scope: AmendScope, view: AmendView, { marks = [] }: Amendment<unknown>): void {
  const named = new Set((scope.marks ?? []).map(markKey));
  assert(
    marks.every((mark) => named.has(markKey(mark)) && view.tasks.has(mark.task)),
    "only marks of the scope are written, and only while their task is open",
  );
}

export function writeMarks(memory: Memory, marks: readonly MarkChunk[]): void {
  for (const mark of marks) memory.tasks.get(mark.task)?.marks.set(mark.chunk, copyOf(mark));
}

function copyOf({ task, chunk, done, failed }: MarkChunk): MarkChunk {
  return Object.freeze({ task, chunk, done: Uint8Array.from(done), failed: Uint8Array.from(failed) });
}
