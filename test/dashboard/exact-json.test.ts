import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { asCounted, isCountable, parseExactly } from "../../dashboard/src/api/exact-json.ts";

test("numbers with more digits than a script can count with are written as they were read", () => {
  const text =
    '{"id":12345678901234567890,"share":0.1234567890123456789,"huge":1e400,"deep":[{"n":-9007199254740993}]}';
  const value = parseExactly(text);
  assert.equal(JSON.stringify(value), text);
  assert.equal(isCountable(value), false);
  assert.deepEqual(asCounted(parseExactly('{"id":12345678901234567890}')), { id: 12345678901234567000 });
});

test("whatever a script can count with is read as it always was", () => {
  const plain =
    '{"a":1.0,"b":[9007199254740991,0.1,-0,1e3,0.0,1.50E+3,100000000000000000000,123456789012345680000],"c":"12345678901234567890"}';
  assert.deepEqual(parseExactly(plain), JSON.parse(plain));
  assert.equal(isCountable(parseExactly(plain)), true);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      assert.deepEqual(parseExactly(text), JSON.parse(text));
    }),
  );
});
