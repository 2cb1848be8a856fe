// Which of a coordinator's messages have been counted.

import assert from "node:assert/strict";
import type { ClientBase } from "pg";
import { type MarkChunk, markKey } from "../../core/marks.ts";
import type { Amendment, AmendScope, AmendView } from "../../ports/store.ts";
import { isTaskId, plainArray, textArray } from "./arrays.ts";
import { ask, type Statement } from "./statement.ts";

// Needs no lock of its own: whoever writes marks has locked their task, and so have we, before this is read.
const selectMarks: Statement = {
  name: "select_marks",
  text: `
    select k.task, k.chunk, k.done, k.failed
    from unnest($1::uuid[], $2::integer[]) n (task, chunk)
    join message_mark k on k.task = n.task and k.chunk = n.chunk`,
};

const upsertMarks: Statement = {
  name: "upsert_marks",
  text: `
    insert into message_mark (task, chunk, done, failed)
    select task, chunk, done, failed
    from unnest($1::uuid[], $2::integer[], $3::bytea[], $4::bytea[]) r (task, chunk, done, failed)
    on conflict (task, chunk) do update
    set done = excluded.done, failed = excluded.failed`,
};

type MarkTuple = readonly [task: string, chunk: number, done: Uint8Array, failed: Uint8Array];

/** To be asked for after the tasks. */
export async function lockedMarks(client: ClientBase, { marks = [] }: AmendScope): Promise<AmendView["marks"]> {
  const named = [...new Map(marks.map((mark) => [markKey(mark), mark])).values()].filter(({ task }) => isTaskId(task));
  if (named.length === 0) return new Map();
  const values = [plainArray(named.map(({ task }) => task)), plainArray(named.map(({ chunk }) => chunk))];
  const rows = await ask<MarkTuple>(client, selectMarks, values);
  return new Map(rows.map(markOf).map((mark) => [markKey(mark), mark]));
}

function markOf([task, chunk, done, failed]: MarkTuple): MarkChunk {
  return { task, chunk, done: new Uint8Array(done), failed: new Uint8Array(failed) };
}

export async function writeMarks(
  client: ClientBase,
  scope: AmendScope,
  view: AmendView,
  { marks = [] }: Amendment<unknown>,
): Promise<void> {
  const named = new Set((scope.marks ?? []).map(markKey));
  assert(
    marks.every((mark) => named.has(markKey(mark)) && view.tasks.has(mark.task)),
    "only marks of the scope are written, and only while their task is open",
  );
  const last = [...new Map(marks.map((mark) => [markKey(mark), mark])).values()];
  if (last.length === 0) return;
  await ask(client, upsertMarks, [
    plainArray(last.map(({ task }) => task)),
    plainArray(last.map(({ chunk }) => chunk)),
    textArray(last.map(({ done }) => bytes(done))),
    textArray(last.map(({ failed }) => bytes(failed))),
  ]);
}

function bytes(array: Uint8Array): string {
  return `\\x${Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("hex")}`;
}
