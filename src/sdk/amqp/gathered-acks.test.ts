import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ackLedger } from "./gathered-acks.ts";

test("acknowledgements in a row are one word to the broker", () => {
  const ledger = ackLedger();
  for (const tag of [2, 1, 3]) ledger.ack(tag);
  assert.deepEqual(ledger.take(), [{ deliveryTag: 3, multiple: true }]);
  assert.deepEqual(ledger.take(), []);
});

test("one that nothing was said of is not acknowledged by a later one", () => {
  const ledger = ackLedger();
  for (const tag of [1, 3, 4]) ledger.ack(tag);
  assert.deepEqual(ledger.take(), [
    { deliveryTag: 1, multiple: true },
    { deliveryTag: 3, multiple: false },
    { deliveryTag: 4, multiple: false },
  ]);
  for (const tag of [2, 5]) ledger.ack(tag);
  assert.deepEqual(ledger.take(), [{ deliveryTag: 5, multiple: true }]);
});

test("the last word is never about a message that was refused", () => {
  const ledger = ackLedger();
  ledger.ack(1);
  ledger.nack(2);
  assert.deepEqual(ledger.take(), [{ deliveryTag: 1, multiple: true }]);
  ledger.nack(3);
  assert.deepEqual(ledger.take(), []);
});

test("in whatever order verdicts come, the broker hears each once and none before it was given", () => {
  const verdicts = fc
    .uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 40 })
    .chain((tags) =>
      fc.tuple(
        fc.constant(tags),
        fc.array(fc.constantFrom("ack", "nack", "ack and tell"), { minLength: tags.length, maxLength: tags.length }),
      ),
    );
  fc.assert(
    fc.property(verdicts, ([tags, words]) => {
      const ledger = ackLedger();
      /** As the broker sees it. */
      const open = new Set(Array.from({ length: 40 }, (_, nth) => nth + 1));
      const given = new Set<number>();
      const tell = (): void => {
        for (const { deliveryTag, multiple } of ledger.take()) {
          assert.ok(open.has(deliveryTag), `${deliveryTag} is not known to the broker any more`);
          const all = multiple ? [...open].filter((tag) => tag <= deliveryTag) : [deliveryTag];
          for (const tag of all) {
            assert.ok(given.has(tag), `${tag} was acknowledged before its verdict`);
            open.delete(tag);
          }
        }
      };
      for (const [nth, tag] of tags.entries()) {
        if (words[nth] === "nack") {
          ledger.nack(tag);
          open.delete(tag);
        } else {
          ledger.ack(tag);
          given.add(tag);
        }
        if (words[nth] === "ack and tell") tell();
      }
      tell();
      assert.deepEqual(
        [...given].filter((tag) => open.has(tag)),
        [],
      );
    }),
  );
});

test("millions that were judged behind one that is still in hand cost neither memory nor words", () => {
  const ledger = ackLedger();
  const count = 20_000_000;
  for (let tag = 2; tag <= count; tag += 1) {
    ledger.nack(tag);
  }
  assert.deepEqual(ledger.take(), []);
  ledger.ack(1);
  assert.deepEqual(ledger.take(), [{ deliveryTag: 1, multiple: true }]);
  ledger.ack(count + 1);
  assert.deepEqual(ledger.take(), [{ deliveryTag: count + 1, multiple: true }]);
});
