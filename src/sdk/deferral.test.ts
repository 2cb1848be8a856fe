import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedDeferral } from "./deferral.ts";
import type { OperationMessage } from "./job.ts";

const message = (about: Partial<OperationMessage> = {}) => ({ queue: "q", operation: "store", payload: {}, ...about });

function nested(depth: number): Record<string, unknown> {
  return depth === 0 ? {} : { inner: nested(depth - 1) };
}

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
    [message({ payload: { text: "x\u0000y" } }), /^Message 1 .* cannot be told to anybody: it has a NUL character$/],
    [message({ payload: { text: "\ud800" } }), /^Message 1 .*: it has a lone surrogate$/],
    [message({ queue: "a\u0000" }), /^Message 1 .*: it has a NUL character$/],
    [message({ payload: nested(300) }), /^Message 1 .*: it is nested deeper than \d+$/],
  ];
  for (const [each, says] of wrong) {
    const refusal = { message: says, code: "deferral-refused", retryable: false };
    assert.throws(() => checkedDeferral({ messages: [message(), each as OperationMessage] }), refusal);
  }
  assert.throws(() => checkedDeferral({ messages: new Array<OperationMessage>(2) }));
});
