import assert from "node:assert/strict";
import { test } from "node:test";
import type { PushVerdict } from "../../core/push-answer.ts";
import { targetAnswers } from "./target-answers.ts";

const failed = (code: string, retryable: boolean): PushVerdict => ({
  ...{ type: "failed", error: { message: `it is ${code}`, code, details: null }, retryable },
});

test("what a target answered last speaks against it until it answers better, or is another", () => {
  const answers = targetAnswers();
  const told = (verdict: PushVerdict) => {
    answers.note("j", "https://a", verdict);
    return answers.failure("j", "https://a");
  };
  assert.equal(answers.failure("j", "https://a"), null);
  assert.equal(told(failed("push_failed", true)), "it is push_failed");
  assert.equal(answers.failure("j", "https://b"), null);
  assert.equal(answers.failure("k", "https://a"), null);
  assert.equal(told({ type: "completed", result: null }), null);
  assert.equal(told({ type: "later", delayMs: 1 }), "it asks for a pause");
  assert.equal(told({ type: "accepted" }), null);
  assert.equal(told(failed("push_forbidden_address", false)), "it is push_forbidden_address");
  assert.equal(told(failed("push_rejected", false)), null, "that is about the one task");
});
