import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { taskId } from "../testing/builders.ts";
import { Problem } from "./problem.ts";
import { parseTaskQuery, type Subject, type Term } from "./task-query.ts";
import { stages } from "./task-row.ts";

const parse = (text: string) => parseTaskQuery(text, "/query/q");
const one = (text: string): Term => {
  const terms = parse(text);
  assert.equal(terms.length, 1);
  return terms[0] as Term;
};

test("each kind of term is read as what it says", () => {
  const read: Record<string, Subject> = {
    "job:lab:modifiers:Rotate,*Crop*": { field: "job", patterns: ["lab:modifiers:Rotate", "*Crop*"] },
    "queue:slow": { field: "queue", patterns: ["slow"] },
    "state:failed,cancelled": { field: "state", stages: ["failed", "cancelled"] },
    "state:pending": { field: "state", stages: ["ready", "delayed"] },
    "state:running": { field: "state", stages: ["running", "deferred"] },
    "state:final": { field: "state", stages: ["completed", "failed", "cancelled"] },
    "room:@global": { field: "room", values: ["@global"] },
    "submitter:ada,bob": { field: "submitter", values: ["ada", "bob"] },
    'worker:"printer 3"': { field: "worker", values: ["printer 3"] },
    [`parent:${taskId(1).toUpperCase()}`]: { field: "parent", ids: [taskId(1)] },
    [`retry_of:${taskId(1)}`]: { field: "retry_of", ids: [taskId(1)] },
    "id:019A": { field: "id", prefixes: ["019a"] },
    [taskId(7)]: { field: "id", prefixes: [taskId(7)] },
    [`"${taskId(7)}"`]: { field: "word", text: taskId(7) },
    'error~"disk full"': { field: "error", text: "disk full" },
    "code:timeout,lost": { field: "code", values: ["timeout", "lost"] },
    "fingerprint:00ff": { field: "fingerprint", values: ["00ff"] },
    "input.user.id=7": { field: "input", path: ["user", "id"], value: "7" },
    'output."a.b".0="x y"': { field: "output", path: ["a.b", "0"], value: "x y" },
    "input.url=http://x/?a=b,c": { field: "input", path: ["url"], value: "http://x/?a=b,c" },
    "attempt>1": { field: "attempt", least: 2, most: null },
    "losses>=1": { field: "losses", least: 1, most: null },
    "priority<-5": { field: "priority", least: null, most: -6 },
    "priority=5": { field: "priority", least: 5, most: 5 },
    "age>5m": { field: "age", overMs: 300_000, underMs: null },
    "ended<1.5h": { field: "ended", overMs: null, underMs: 5_400_000 },
    "ran>10s": { field: "ran", overMs: 10_000, underMs: null },
    "waited>500ms": { field: "waited", overMs: 500, underMs: null },
    timeout: { field: "word", text: "timeout" },
    '"two words"': { field: "word", text: "two words" },
    "@global:tests:Echo": { field: "word", text: "@global:tests:Echo" },
  };
  for (const [text, subject] of Object.entries(read)) {
    assert.deepEqual(one(text), { ...subject, not: false }, text);
    assert.deepEqual(one(`-${text}`), { ...subject, not: true }, `-${text}`);
  }
});

test("terms stand apart by any space, and no term picks everything", () => {
  assert.deepEqual(parse("  "), []);
  assert.deepEqual(
    parse(" state:failed\t\n -age>1d ").map(({ field, not }) => [field, not]),
    [
      ["state", false],
      ["age", true],
    ],
  );
});

test("whoever writes something else is told at which character what was expected", () => {
  const told: Record<string, [at: number, what: RegExp]> = {
    "stat:failed": [1, /one of job: queue: state:.*quotes/],
    "room:a job:": [12, /a value/],
    "state:failed,gone": [14, /one of ready, delayed/],
    "state=failed": [6, /":"/],
    "error:x": [6, /"~"/],
    "age>5": [5, /500ms, 10s/],
    "age=5m": [4, /> or </],
    "attempt>x": [9, /whole number/],
    "attempt~1": [8, /one of >/],
    "id:xyz": [4, /beginning of a UUID/],
    "parent:019a": [8, /UUID of a task/],
    "input.=3": [7, /a name/],
    "input.a": [8, /"=" or "\."/],
    'error~"open': [12, /closing quote/],
    '"a" "b"c"': [10, /closing quote/],
    "a -": [4, /a value/],
    'room:"a", b': [10, /a value/],
  };
  for (const [text, [at, what]] of Object.entries(told)) {
    assert.throws(
      () => parse(text),
      (error) => {
        assert(error instanceof Problem, text);
        assert.equal(error.code, "invalid-request");
        assert.equal(error.errors[0]?.pointer, "/query/q");
        assert.match(error.message, new RegExp(`at character ${at}: expected`), text);
        assert.match(error.message, what, text);
        return true;
      },
    );
  }
});

test("a query is no longer than it may be, and has no more terms and values", () => {
  assert.throws(() => parse("x".repeat(2_001)), /at most 2000 characters/);
  assert.equal(parse("a ".repeat(32)).length, 32);
  assert.throws(() => parse("a ".repeat(33)), /at most 32 terms/);
  assert.throws(() => parse(`room:${Array(101).fill("a").join()}`), /at most 100 values/);
});

test("any text is a query or is refused with a place within it", () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'ab:~=<>"\\-., 1mid*'.split("")), maxLength: 30 }),
  );
  const holds = fc.property(texts, (text) => {
    try {
      parse(text);
    } catch (error) {
      assert(error instanceof Problem && error.code === "invalid-request");
      const at = Number(/at character (\d+):/.exec(error.message)?.[1]);
      assert(at >= 1 && at <= text.length + 1, `${at} of ${JSON.stringify(text)}`);
    }
  });
  fc.assert(holds, { numRuns: 5_000 });
});

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
const texts = fc.string({ minLength: 1, maxLength: 8, unit: "binary" });
const lists = fc.uniqueArray(texts, { minLength: 1, maxLength: 3 });
const listed = (values: readonly string[]): string => values.map(quoted).join();

const written: fc.Arbitrary<[Subject, string]> = fc.oneof(
  lists.map((patterns): [Subject, string] => [{ field: "job", patterns }, `job:${listed(patterns)}`]),
  lists.map((values): [Subject, string] => [{ field: "room", values }, `room:${listed(values)}`]),
  texts.map((text): [Subject, string] => [{ field: "error", text }, `error~${quoted(text)}`]),
  texts.map((text): [Subject, string] => [{ field: "word", text }, quoted(text)]),
  fc
    .uniqueArray(fc.constantFrom(...stages.filter((stage) => stage !== "running")), { minLength: 1 })
    .map((found): [Subject, string] => [{ field: "state", stages: found }, `state:${found.join()}`]),
  fc.tuple(lists, texts).map(([path, value]): [Subject, string] => {
    return [{ field: "input", path, value }, `input.${path.map(quoted).join(".")}=${quoted(value)}`];
  }),
  fc.integer({ min: -1_000, max: 1_000 }).map((n): [Subject, string] => {
    return [{ field: "priority", least: n + 1, most: null }, `priority>${n}`];
  }),
);

test("what is written with quotes is read as it was meant, whatever it is", () => {
  const terms = fc.array(fc.tuple(written, fc.boolean()), { maxLength: 5 });
  const holds = fc.property(terms, (some) => {
    const text = some.map(([[, words], not]) => `${not ? "-" : ""}${words}`).join(" ");
    assert.deepEqual(
      parse(text),
      some.map(([[subject], not]) => ({ ...subject, not })),
    );
  });
  fc.assert(holds, { numRuns: 1_000 });
});
