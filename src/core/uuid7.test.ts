import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { uuid7, uuid7CounterMax, uuid7Floor, uuid7Time } from "./uuid7.ts";

const valid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const counters = fc.integer({ min: 0, max: uuid7CounterMax });
const bytes = fc.uint8Array({ minLength: 8, maxLength: 8 });

test("an id has the bits of the example in RFC 9562", () => {
  const random = Uint8Array.of(0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f);
  assert.equal(uuid7(0x017f22e279b0, 0xcc3, random), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
});

test("every id is a valid UUIDv7 that tells its time", () => {
  const holds = fc.property(times, counters, bytes, (at, counter, random) => {
    const id = uuid7(at, counter, random);
    assert.match(id, valid);
    assert.equal(uuid7Time(id), at);
  });
  fc.assert(holds, { numRuns: 1_000 });
});

test("ids sort by time, then by counter, whatever is drawn", () => {
  const one = fc.tuple(times, counters, bytes);
  const holds = fc.property(one, one, ([at, counter, random], [otherAt, otherCounter, otherRandom]) => {
    const before = at < otherAt || (at === otherAt && counter < otherCounter);
    if (before) assert(uuid7(at, counter, random) < uuid7(otherAt, otherCounter, otherRandom));
  });
  fc.assert(holds, { numRuns: 1_000 });
});

test("the floor of a time is below every id of that time and above every earlier one", () => {
  const holds = fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), counters, bytes, (at, counter, random) => {
    assert(uuid7Floor(at) <= uuid7(at, counter, random));
    assert(uuid7(at - 1, counter, random) < uuid7Floor(at));
  });
  fc.assert(holds);
});
