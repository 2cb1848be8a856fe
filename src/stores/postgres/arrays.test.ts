import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { postgresSchema } from "../../testing/postgres-schema.ts";
import { testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { isTaskId, jsonRows, plainArray, recordArray, sortedIds, textArray, textField } from "./arrays.ts";
import { restored, storable } from "./text.ts";

const url = testDatabaseUrl() ?? "";
const skip = url === "" && "LEADHAND_TEST_DATABASE_URL is not set";

/** Everything a text may hold, halves of surrogate pairs and NUL too, and what array literals give a meaning to. */
const texts = fc.oneof(
  fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({ unit: fc.constantFrom("{", "}", ",", '"', "\\", "(", ")", " ", "\n", "\u0000", "\u0001", "é", "a") }),
  fc.constantFrom("", "NULL", "null", "\u0001", '\u0001"a"', "\\N"),
);

test("a text that is kept comes back as it was, and only where it must does it look different", () => {
  fc.assert(fc.property(texts, (text) => assert.equal(restored(storable(text)), text)));
  assert.equal(storable('{"a":"é 🦊"}'), '{"a":"é 🦊"}');
  assert.equal(storable("a\u0000b"), '\u0001"a\\u0000b"');
});

test("plain values need no quotes, and null is null", () => {
  assert.equal(plainArray([1, null, "a-b", true]), "{1,NULL,a-b,true}");
  assert.equal(plainArray([]), "{}");
});

test("only what can be an id is taken for one", () => {
  const id = "019b76da-a801-7000-8000-000000000004";
  assert.equal(isTaskId(id), true);
  for (const text of ["", "x", id.toUpperCase(), `${id} `, `${id}0`, "019b76da-a801-7000-8000-00000000000g"]) {
    assert.equal(isTaskId(text), false);
  }
  assert.deepEqual(sortedIds(["x", id, id]), [id]);
});

describe("PostgreSQL reads literals as they were meant", { skip }, () => {
  const schema = postgresSchema(url);
  const lists = fc.array(fc.option(texts, { nil: null }), { maxLength: 20 });
  const stored = (list: readonly (string | null)[]) => list.map((text) => (text === null ? null : storable(text)));

  test("texts", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const [row] = await schema.query<{ a: string[] }>("select $1::text[] as a", [textArray(list)]);
        assert.deepEqual(row?.a, stored(list));
      }),
      { numRuns: 60 },
    );
  });

  test("rows", async () => {
    // Any row type with a text in it will do; this one is in every database.
    const select = "select provider from unnest($1::pg_shseclabel[])";
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const literal = recordArray(list.map((text) => `1,2,${textField(text)},`));
        const rows = await schema.query<{ provider: string | null }>(select, [literal]);
        assert.deepEqual(
          rows.map((row) => row.provider),
          stored(list),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("records of JSON", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (list) => {
        const rows = await schema.query<{ a: string | null }>("select a from json_to_recordset($1) r (a text)", [
          jsonRows(list.map((a) => ({ a }))),
        ]);
        assert.deepEqual(
          rows.map((row) => row.a),
          stored(list),
        );
      }),
      { numRuns: 60 },
    );
  });
});
