import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkOf, type MarkChunk, markKey } from "./marks.ts";
import { noteChunk, type RequestNote, requestNotes } from "./request-notes.ts";

const digest = (first: number, last: number): Uint8Array => Uint8Array.of(first, ...Array(14).fill(7), last);
const note = (first: number, last: number, body = 1): RequestNote => ({
  key: digest(first, last),
  body: digest(body, 0),
});

/** As the next request finds what was noted before. */
function later(chunks: readonly MarkChunk[]) {
  return requestNotes("one", new Map(chunks.map((chunk) => [markKey(chunk), chunk])));
}

test("a request is new once, and another body under its key is another request", () => {
  const first = requestNotes("one", new Map());
  assert.equal(first.standing(note(1, 1)), "new");
  first.add(note(1, 1));
  for (const notes of [first, later(first.chunks())]) {
    assert.equal(notes.standing(note(1, 1)), "same");
    assert.equal(notes.standing(note(1, 1, 2)), "other");
    assert.equal(notes.standing(note(2, 1)), "new");
  }
});

test("keys that share a chunk are told apart, however many there are", () => {
  const notes = requestNotes("one", new Map());
  for (let last = 0; last < 100; last += 1) notes.add(note(1, last));
  assert.equal(notes.chunks().length, 1);
  for (let last = 0; last < 100; last += 1) assert.equal(later(notes.chunks()).standing(note(1, last)), "same");
  assert.equal(later(notes.chunks()).standing(note(1, 100)), "new");
});

test("no index of a message reaches a chunk of requests, and both stores take its number", () => {
  for (const first of [0, 255]) {
    const chunk = noteChunk(note(first, 0));
    assert.ok(chunk > chunkOf(2 ** 31 - 1) && chunk < 2 ** 31, `${chunk}`);
  }
});
