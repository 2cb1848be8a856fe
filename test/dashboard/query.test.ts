import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { suggest, type Vocabulary } from "../../dashboard/src/pages/tasks/completion.ts";
import {
  actQuery,
  piecesOf,
  placeIn,
  quoted,
  stateIn,
  withState,
} from "../../dashboard/src/pages/tasks/query-terms.ts";
import { parseTaskQuery } from "../../src/core/task-query.ts";

const words: Vocabulary = {
  job: [{ value: "lab:modifiers:Rotate" }, { value: "lab:modifiers:Scale it" }],
  room: [{ value: "lab" }, { value: "press" }],
  worker: [{ value: "press-1" }],
  queue: [{ value: "default" }],
};

function labels(query: string, caret = query.length): readonly string[] {
  return suggest(query, caret, words).map(({ label }) => label);
}

test("an empty bar shows which fields there are", () => {
  for (const field of ["job:", "state:", "error~", "input.", "age>", "attempt>"]) assert.ok(labels("").includes(field));
});

test("a field is completed where the caret is, whatever stands around it", () => {
  const query = "st room:lab";
  const [state] = suggest(query, 2, words);
  assert.equal(state?.text, "state: room:lab");
  assert.equal(state?.caret, "state:".length);
  assert.equal(state?.whole, false);
});

test("values are completed after their field, also after a comma, a minus and with quotes where they need them", () => {
  assert.deepEqual(labels("room:"), ["lab", "press"]);
  assert.equal(suggest("state:failed,canc", 17, words)[0]?.text, "state:failed,cancelled ");
  assert.equal(suggest("-room:pr", 8, words)[0]?.text, "-room:press ");
  assert.equal(suggest("job:scale", 9, words)[0]?.text, 'job:"lab:modifiers:Scale it" ');
  assert.deepEqual(labels("age>").slice(0, 2), ["10s", "1m"]);
  assert.deepEqual(labels('error~"no '), []);
});

test("whatever is suggested whole is a query that the server reads", () => {
  const begins = fc.constantFrom(
    "job:",
    "room:",
    "worker:",
    "queue:",
    "state:",
    "age>",
    "ran<",
    "attempt>",
    "losses>=",
  );
  fc.assert(
    fc.property(begins, fc.boolean(), fc.constantFrom("", "e", "1", "l"), (begin, not, typed) => {
      const query = `room:lab ${not ? "-" : ""}${begin}${typed}`;
      for (const { text, whole } of suggest(query, query.length, words)) if (whole) parseTaskQuery(text, "/query/q");
    }),
  );
});

test("a quoted value is read by the server as the value it was", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (value) => {
      const [term] = parseTaskQuery(`room:${quoted(value)}`, "/query/q");
      assert.deepEqual(term, { field: "room", values: [value], not: false });
    }),
  );
});

test("terms are told apart by spaces, but not by those within quotes", () => {
  const pieces = piecesOf('  error~"no space left" state:failed "a \\" b"');
  assert.deepEqual(
    pieces.map(({ text }) => text),
    ['error~"no space left"', "state:failed", '"a \\" b"'],
  );
  assert.equal(pieces[1]?.from, 24);
});

test("a chip asks for another state of the same query", () => {
  assert.equal(stateIn("job:x state:failed"), "failed");
  assert.equal(stateIn("state:failed state:final"), "");
  assert.equal(withState("state:failed job:x", "running"), "job:x state:running");
  assert.equal(withState("-state:failed job:x", ""), "job:x");
});

test("an act is done to those it can be done to, and retries what went well only where that was said", () => {
  assert.equal(actQuery("cancel", "job:x"), "job:x state:open");
  assert.equal(actQuery("cancel", "state:running"), "state:running");
  assert.equal(actQuery("cancel", "state:running,failed"), "state:running,failed state:open");
  assert.equal(actQuery("retry", ""), "state:failed");
  assert.equal(actQuery("retry", "state:completed"), "state:completed");
  assert.equal(actQuery("retry", "state:open"), "state:open state:final");
});

test("the place of a fault is found in the server's words", () => {
  try {
    parseTaskQuery("room:lab foo:bar", "/query/q");
    assert.fail("it was read");
  } catch (error) {
    assert.equal(placeIn(String((error as Error).message)), "room:lab ".length);
  }
  assert.equal(placeIn("must have at most 2000 characters"), null);
});
