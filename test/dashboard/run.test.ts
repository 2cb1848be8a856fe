import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../../dashboard/src/api/problem.ts";
import { errorsToShow, isOfPayload, verdictOf } from "../../dashboard/src/pages/run/verdict.ts";

const missing = { pointer: "/payload/picture", detail: "is required" };
const wrong = { pointer: "/payload/size/a~1b", detail: "must be at most 5" };

test("what is missing is shown to whoever tried, what is wrong at once", () => {
  const payload = { size: { "a/b": 7 } };
  assert.deepEqual(errorsToShow([missing, wrong], payload, false), [wrong]);
  assert.deepEqual(errorsToShow([missing, wrong], payload, true), [missing, wrong]);
  assert.deepEqual(errorsToShow([wrong], { size: null }, false), []);
});

test("beside the button stands what no field says", () => {
  const check = { errors: [missing], valid: false, problem: null };
  assert.equal(verdictOf({ ...check, valid: null }, [], true), "");
  assert.equal(verdictOf({ ...check, valid: true }, [], true), "The server would accept it");
  assert.equal(verdictOf(check, [], true), "Not complete yet");
  assert.equal(verdictOf(check, [missing], true), "The server would refuse it: see the fields");
  assert.equal(verdictOf(check, [missing], false), "picture is required");
  assert.equal(verdictOf({ ...check, problem: new Error("out of reach") }, [], true), "out of reach");
});

test("a refusal is on the page where all of it is about the payload", () => {
  const refusal = (...pointers: readonly string[]) =>
    new Refusal(
      422,
      "invalid-request",
      "No",
      pointers.map((pointer) => ({ pointer, detail: "no" })),
    );
  assert.ok(isOfPayload(refusal("/payload", "/payload/a")));
  assert.ok(!isOfPayload(refusal("/payload/a", "/queue")));
  assert.ok(!isOfPayload(refusal("/payloads/a")));
  assert.ok(!isOfPayload(refusal()));
  assert.ok(!isOfPayload(new Error("no")));
});
