import assert from "node:assert/strict";
import { test } from "node:test";
import { type PushAnswer, pushVerdict } from "./push-answer.ts";

const now = Date.parse("2030-01-01T00:00:00Z");

function answered(status: number, words: Partial<Extract<PushAnswer, { type: "answered" }>> = {}) {
  const answer = { type: "answered", status, retryAfter: null, functionError: null, body: "", whole: true } as const;
  return pushVerdict({ ...answer, ...words }, now);
}

const types = (statuses: readonly number[]) => statuses.map((status) => answered(status).type);

test("every status between 200 and 299 is a success, but 202, which is a promise", () => {
  assert.deepEqual(types([200, 201, 202, 203, 204, 299]), [
    ...["completed", "completed", "accepted", "completed", "completed", "completed"],
  ]);
});

test("what may pass by itself may be tried again; everything else may not", () => {
  for (let status = 100; status < 600; status += 1) {
    const verdict = answered(status);
    if (verdict.type !== "failed") continue;
    const passing = [408, 425, 429].includes(status) || status >= 500;
    assert.deepEqual([verdict.retryable, verdict.error.code], [passing, passing ? "push_failed" : "push_rejected"]);
  }
});

test("a target's wish for a later try is heard, from a second to an hour, in seconds or as a date", () => {
  const delay = (retryAfter: string, status = 503) => {
    const verdict = answered(status, { retryAfter });
    return verdict.type === "later" ? verdict.delayMs : verdict.type;
  };
  assert.deepEqual(
    ["7", "0", "999999", "Tue, 01 Jan 2030 00:01:00 GMT", "Mon, 01 Jan 2029 00:00:00 GMT", "soon"].map((text) =>
      delay(text),
    ),
    [7_000, 1_000, 3_600_000, 60_000, 1_000, "failed"],
  );
  assert.equal(delay("7", 429), 7_000);
  assert.equal(delay("7", 404), "failed");
});

test("a result is the text it came in, and text that is not JSON is none", () => {
  assert.deepEqual(answered(200, { body: ' {"n":1.0} ' }), { type: "completed", result: ' {"n":1.0} ' });
  assert.deepEqual(answered(200, { body: " \n" }), { type: "completed", result: null });
  const deep = (depth: number): string => `${"[".repeat(depth)}"]\\"["${"]".repeat(depth)}`;
  assert.equal(answered(200, { body: deep(256) }).type, "completed");
  for (const words of [{ body: "{" }, { body: "{}", whole: false }, { body: deep(257) }]) {
    const verdict = answered(200, words);
    assert.ok(verdict.type === "failed" && verdict.error.code === "invalid_result" && !verdict.retryable);
  }
});

test("what never got an answer may be tried again, unless it leads where the server does not go", () => {
  const codes = (["timeout", "network", "address"] as const).map((reason) => {
    const verdict = pushVerdict({ type: "failed", reason, message: "m" }, now);
    return verdict.type === "failed" ? [verdict.error.code, verdict.retryable] : [];
  });
  assert.deepEqual(codes, [
    ["push_timeout", true],
    ["push_failed", true],
    ["push_forbidden_address", false],
  ]);
});
