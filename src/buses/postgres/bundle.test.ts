import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Bundle, bundleReader, payloadBytesMax, payloadsOf } from "./bundle.ts";

function readAll(payloads: readonly string[]): (Bundle | undefined)[] {
  const reader = bundleReader();
  return payloads.map((payload) => reader.read(payload)?.bundle);
}

test("a small bundle is one payload", () => {
  const bundle: Bundle = { messages: [["supply:1", ""]], hello: true };
  const payloads = payloadsOf("node-1", 1, bundle);
  assert.equal(payloads.length, 1);
  assert.deepEqual(bundleReader().read(payloads[0] as string), { node: "node-1", bundle });
});

test("any bundle fits into payloads of plain ASCII that the database takes, and comes out as it went in", () => {
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ maxLength: 12_000, minLength: 7_000 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, texts), { maxLength: 5 }), fc.nat(), (messages, number) => {
      const bundle: Bundle = { messages };
      const payloads = payloadsOf("0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee", number, bundle);
      for (const payload of payloads) {
        assert.ok(Buffer.byteLength(payload) <= payloadBytesMax);
        assert.match(payload, /^[\x20-\x7e]*$/);
      }
      assert.equal(new Set(payloads).size, payloads.length, "NOTIFY merges equal payloads");
      assert.deepEqual(readAll(payloads).at(-1), bundle);
    }),
    { numRuns: 30 },
  );
});

test("bundles of several servers may be interleaved", () => {
  const long = (letter: string): Bundle => ({ wantsAll: letter.repeat(20_000) });
  const [a, b] = [payloadsOf("a", 1, long("a")), payloadsOf("b", 1, long("b"))];
  const woven = a.flatMap((payload, index) => [payload, b[index] as string]);
  assert.deepEqual(
    readAll(woven).filter((bundle) => bundle !== undefined),
    [long("a"), long("b")],
  );
});

test("a bundle whose beginning was missed is left out, the next one is read", () => {
  const first = payloadsOf("a", 1, { wantsAll: "x".repeat(20_000) });
  const second = payloadsOf("a", 2, { wantsAll: "y".repeat(20_000) });
  const read = readAll([...first.slice(1), ...second]).filter((bundle) => bundle !== undefined);
  assert.deepEqual(read, [{ wantsAll: "y".repeat(20_000) }]);
});

test("what others notify on our channel is ignored", () => {
  const foreign = [
    "",
    "hello",
    "a 1 0 1 {",
    "a 1 0 1 5",
    "a 1 7 9 x",
    'a 1 0 1 {"messages":5}',
    'a 1 0 1 {"wants":[]}',
  ];
  assert.deepEqual(readAll([...foreign, 'a 1 0 1 {"messages":[["t"]]}']), Array(8).fill(undefined));
});
