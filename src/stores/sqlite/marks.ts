// Which of a coordinator's messages have been counted.

import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { type MarkChunk, markKey } from "../../core/marks.ts";
import type { Amendment, AmendScope, AmendView } from "../../ports/store.ts";
import { change, query } from "./statement.ts";

const selectMark = `
  select done, failed
  from message_mark
  where task = ? and chunk = ?`;

const upsertMark = `
  insert into message_mark (task, chunk, done, failed)
  values (?, ?, ?, ?)
  on conflict (task, chunk) do update
  set done = excluded.done, failed = excluded.failed`;

export function markFinder(db: DatabaseSync): (scope: AmendScope) => ReadonlyMap<string, MarkChunk> {
  const select = query<[Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>(db, selectMark);
  return ({ marks = [] }) =>
    new Map(
      marks.flatMap(({ task, chunk }) => {
        const values = select.get(task, chunk);
        if (values === undefined) return [];
        const [done, failed] = values;
        return [[markKey({ task, chunk }), { task, chunk, done, failed }] as const];
      }),
    );
}

export type WriteMarks = (scope: AmendScope, view: AmendView, amendment: Amendment<unknown>) => void;

export function markWriter(db: DatabaseSync): WriteMarks {
  const upsert = change(db, upsertMark);
  return (scope, view, { marks = [] }) => {
    const named = new Set((scope.marks ?? []).map(markKey));
    assert(
      marks.every((mark) => named.has(markKey(mark)) && view.tasks.has(mark.task)),
      "only marks of the scope are written, and only while their task is open",
    );
    for (const { task, chunk, done, failed } of marks) upsert(task, chunk, done, failed);
  };
}
