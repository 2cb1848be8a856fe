import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, bytes, choice, duration, integer, json, list, type Setting, url } from "./kinds.ts";

const about = { env: "LEADHAND_X", help: "" } as const;

function readings(setting: Setting<unknown>, texts: readonly string[]): unknown[] {
  return texts.map((text) => setting.parse(text, "LEADHAND_X"));
}

test("a whole number lies within its borders", () => {
  const port = integer({ ...about, default: 1, min: 0, max: 65_535 });
  assert.deepEqual(readings(port, ["0", "65535", "65536", "-1", "1.5", "1e3", "", " 1"]), [
    0,
    65_535,
    ...Array(6).fill(undefined),
  ]);
});

test("sizes have units of 1,024", () => {
  const size = bytes({ ...about, default: 1, min: 1, max: 2 ** 30 });
  assert.deepEqual(readings(size, ["10", "1KiB", "4 MiB", "1GiB", "2GiB", "1MB"]), [
    10,
    1_024,
    4_194_304,
    2 ** 30,
    undefined,
    undefined,
  ]);
});

test("yes and no have many words", () => {
  const yes = boolean({ ...about, default: false });
  assert.deepEqual(readings(yes, ["true", "1", "YES", "on", "false", "0", "no", "Off", "maybe"]), [
    ...[true, true, true, true, false, false, false, false, undefined],
  ]);
});

test("a list is JSON, or has commas", () => {
  const names = list({ ...about, default: [] });
  assert.deepEqual(readings(names, ['["a","b c"]', "a, b,,c", "[1]", "[", '[""]']), [
    ["a", "b c"],
    ["a", "b", "c"],
    undefined,
    undefined,
    undefined,
  ]);
});

test("what need not be set can be unset with a word", () => {
  const limit = integer({ ...about, default: null, min: 1, max: 9 });
  assert.deepEqual(readings(limit, ["none", "5"]), [null, 5]);
  assert.match(limit.allowed("LEADHAND_X"), /or none$/);
  assert.deepEqual(readings(duration({ ...about, default: 5 }), ["none"]), [undefined]);
});

test("a URL has one of the protocols", () => {
  const database = url({ ...about, default: null, protocols: ["postgres:"] });
  assert.deepEqual(readings(database, ["postgres://a/b", "mysql://a/b", "a/b"]), [
    "postgres://a/b",
    undefined,
    undefined,
  ]);
});

test("a choice is one of its words, JSON is what its check accepts", () => {
  assert.deepEqual(readings(choice({ ...about, default: "a", choices: ["a", "b"] }), ["b", "c"]), ["b", undefined]);
  const isNumber = (value: unknown): value is number => typeof value === "number";
  assert.deepEqual(readings(json({ ...about, default: 1, check: isNumber, allowed: "a number" }), ["2", '"2"', "{"]), [
    2,
    undefined,
    undefined,
  ]);
});
