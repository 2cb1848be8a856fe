import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerWords } from "./broker-words.ts";

test("a refusal is told in the broker's words, and with what was refused where that has a name", () => {
  const refusals = [
    ["undefined: ACCESS_REFUSED - Login was refused", "ACCESS_REFUSED - Login was refused"],
    ["ConnectionOpen: NOT_ALLOWED - vhost nowhere not found", "ConnectionOpen: NOT_ALLOWED - vhost nowhere not found"],
  ] as const;
  for (const [message, words] of refusals) assert.equal(brokerWords(new Error(message)), words);
});

test("an error without words is told by its code, and what is no error as it is", () => {
  assert.equal(brokerWords(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })), "ECONNREFUSED");
  assert.equal(brokerWords("memory"), "memory");
});
