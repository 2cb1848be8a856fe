import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { memberText, memberTexts } from "./member-text.ts";

test("a member comes back as it was written", () => {
  const body = '{ "job": "a", "payload" : {"n": 12345678901234567890.0, "b":1, "a":1, "b":2}, "x": [1] }';
  assert.equal(memberText(body, ["payload"]), '{"n": 12345678901234567890.0, "b":1, "a":1, "b":2}');
  assert.equal(memberText(body, ["payload", "n"]), "12345678901234567890.0");
  assert.equal(memberText(body, ["payload", "b"]), "2");
  assert.equal(memberText(body, ["job"]), '"a"');
  assert.equal(memberText(body, ["x", 0]), "1");
  assert.equal(memberText(" [1] ", []), "[1]");
});

test("what is not there has no text", () => {
  const body = '{"a":[1,{}],"b":"x"}';
  for (const path of [["c"], ["a", 2], ["a", -1], ["a", "0"], [0], ["b", "x"], ["a", 1, "x"], ["a", 0, 0]]) {
    assert.equal(memberText(body, path), undefined, JSON.stringify(path));
  }
});

test("of repeated keys the last one counts, on every step of the way", () => {
  assert.equal(memberText('{"a":{"b":1},"a":{"b":2,"b":3}}', ["a", "b"]), "3");
  assert.equal(memberText('{"a":{"b":1},"a":{}}', ["a", "b"]), undefined);
  assert.equal(memberText('{"payload":1,"p\\u0061yload":2}', ["payload"]), "2");
});

test("keys are compared as they read, not as they are spelled", () => {
  assert.equal(memberText('{"a\\\\":1,"a\\\\\\\\":2}', ["a\\"]), "1");
  assert.equal(memberText('{"a\\"b":1}', ['a"b']), "1");
  assert.equal(memberText('{"\\/":1}', ["/"]), "1");
  assert.equal(memberText('{"__proto__":1}', ["__proto__"]), "1");
});

test("all payloads of a bulk body are found, and gaps where there is none", () => {
  const body = '{"tasks": [{"job":"a","payload": {"n":1.0}}, {"job":"b"}, 7, [ ], {"payload":[],"payload":"]}"} ] }';
  assert.deepEqual(memberTexts(body, ["tasks"], "payload"), ['{"n":1.0}', undefined, undefined, undefined, '"]}"']);
  assert.deepEqual(memberTexts('{"tasks":[ ]}', ["tasks"], "payload"), []);
  assert.deepEqual(memberTexts('{"tasks":{}}', ["tasks"], "payload"), []);
  assert.deepEqual(memberTexts("{}", ["tasks"], "payload"), []);
});

const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/);
const spaces = fc.infiniteStream(fc.oneof({ arbitrary: fc.constant(""), weight: 3 }, { arbitrary: space, weight: 1 }));
const escapes = fc.infiniteStream(fc.boolean());

/** Prints a value with white space and escapes wherever the grammar allows them. */
function printed(value: unknown, gap: () => string, flip: () => boolean): string {
  const string = (text: string) =>
    `"${[...text].map((each) => (flip() ? escaped(each) : JSON.stringify(each).slice(1, -1))).join("")}"`;
  const print = (each: unknown): string => {
    if (typeof each === "string") return gap() + string(each) + gap();
    if (Array.isArray(each)) return `${gap()}[${each.map(print).join(",") || gap()}]${gap()}`;
    if (typeof each !== "object" || each === null) return gap() + JSON.stringify(each) + gap();
    const members = Object.entries(each).map(([key, member]) => `${gap()}${string(key)}${gap()}:${print(member)}`);
    return `${gap()}{${members.join(",") || gap()}}${gap()}`;
  };
  return print(value);
}

function escaped(text: string): string {
  return text.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function* paths(value: unknown, path: (string | number)[] = []): Generator<[(string | number)[], unknown]> {
  yield [path, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* paths(member, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

test("in any layout, the text of every member reads as the member", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), spaces, escapes, (value, gaps, flips) => {
      const text = printed(
        value,
        () => gaps.next().value ?? "",
        () => flips.next().value ?? false,
      );
      const parsed: unknown = JSON.parse(text);
      for (const [path, member] of paths(parsed)) {
        const found = memberText(text, path);
        assert.ok(found !== undefined, JSON.stringify(path));
        assert.deepEqual(JSON.parse(found), member);
        assert.equal(found.trim(), found);
      }
    }),
  );
});

test("in any layout, the payloads of a bulk body are the same one by one and all at once", () => {
  const item = fc.oneof(fc.record({ payload: fc.jsonValue() }), fc.record({ x: fc.jsonValue() }), fc.jsonValue());
  fc.assert(
    fc.property(fc.array(item), spaces, escapes, (tasks, gaps, flips) => {
      const text = printed(
        { tasks },
        () => gaps.next().value ?? "",
        () => flips.next().value ?? false,
      );
      const one = tasks.map((_, index) => memberText(text, ["tasks", index, "payload"]));
      assert.deepEqual(memberTexts(text, ["tasks"], "payload"), one);
    }),
  );
});

test("text that is not JSON gives some answer and no crash", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'{}[],:"\\ a1')), (shards) => {
      const text = shards.join("");
      memberText(text, ["a", 0, "a"]);
      memberTexts(text, ["a"], "a");
    }),
  );
});
