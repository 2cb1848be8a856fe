import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedDeferral } from "./deferral.ts";
import type { OperationMessage } from "./job.ts";

const message = (about: Partial<OperationMessage> = {}) => ({ queue: "q", operation: "store", payload: {}, ...about });

test("as much as a server takes is deferred", () => {
  const name = "é".repeat(127);
  const many = Array.from({ length: 10_000 }, () => message({ queue: name, operation: name }));
  assert.equal(checkedDeferral({ messages: many }).total, 10_000);
});

test("a message that no server takes is refused by its place", () => {
  const wrong: readonly [unknown, RegExp][] = [
    [message({ queue: "é".repeat(128) }), /^The queue of message 1 .* more than 255 bytes$/],
    [message({ payload: [] as never }), /^The payload of message 1 .* is no object$/],
    [message({ payload: new Date(0) as never }), /^The payload of message 1 .* is no object$/],
    [message({ payload: { size: 1n } }), /^The payload of message 1 .* cannot be written as JSON$/],
  ];
  for (const [each, says] of wrong) {
    const refusal = { message: says, code: "deferral-refused", retryable: false };
    assert.throws(() => checkedDeferral({ messages: [message(), each as OperationMessage] }), refusal);
  }
  assert.throws(() => checkedDeferral({ messages: new Array<OperationMessage>(2) }));
});
