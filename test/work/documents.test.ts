import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { problems } from "../../src/core/problem.ts";
import { asyncApi } from "../../src/protocol/asyncapi.ts";
import { closeCodes, Heartbeat, serverMessages } from "../../src/protocol/work/frames.ts";

// biome-ignore lint/suspicious/noExplicitAny: schemas and documents are walked as they come.
type Loose = any;

const text = readFileSync(new URL("../../docs/protocol/work.md", import.meta.url), "utf8");
const document: Loose = JSON.parse(JSON.stringify(asyncApi({ version: "1.2.3" })));

/** The messages of a part, each with the rows of its table: the field, and whether it is always there. */
function written(title: string): Record<string, string[]> {
  const part = text.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
  const sections = part.split(/^### /m).slice(1);
  return Object.fromEntries(
    sections.map((section) => [
      /^`(\w+)`/.exec(section)?.[1],
      [...section.matchAll(/^\| `([\w.[\]]+)` \| ?(yes)? \|/gm)].map(([, field, always = ""]) => `${field} ${always}`),
    ]),
  );
}

function described(schema: Loose, path = ""): string[] {
  const own = schema.anyOf?.find(({ type }: Loose) => type !== "null") ?? schema;
  if (own.type === "array") return described(own.items, `${path}[]`);
  return Object.entries<Loose>(own.properties ?? {}).flatMap(([name, value]) => {
    const field = path === "" ? name : `${path}.${name}`;
    // Problems are described in problems.md.
    const inside = name === "problem" ? [] : described(value, field);
    return [`${field} ${own.required?.includes(name) ? "yes" : ""}`, ...inside];
  });
}

test("work.md has each message with its fields, which of them are always there, and no other", () => {
  assert.deepEqual(written("What workers send"), { heartbeat: described(Heartbeat) });
  const expected = Object.entries(serverMessages).map(([name, schema]) => [name, described(schema)]);
  assert.deepEqual(written("What the server sends"), Object.fromEntries(expected));
});

test("work.md has each close code, and no other", () => {
  const codes = [...text.matchAll(/^\| (\d{4}) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(codes, Object.values(closeCodes));
});

test("work.md names problems that there are", () => {
  const named = [...text.matchAll(/`([a-z]+(?:-[a-z]+)+|unauthorized|forbidden)`/g)].map(([, code]) => code as string);
  assert.ok(named.length >= 6);
  for (const code of named) assert.ok(code in problems, code);
});

test("whole messages in work.md are as described", () => {
  const ajv = new Ajv2020({ strict: false, formats: { uuid: true, "date-time": true } });
  const schemas: Loose = { heartbeat: Heartbeat, ...serverMessages };
  const messages = [...text.matchAll(/^[→←] (\{.*\})(?: {2}.*)?$/gm)].map(([, message]) => message as string);
  const whole = messages.filter((message) => !/[[,]…|…[}\]]/.test(message)).map((message) => JSON.parse(message));
  assert.ok(whole.length >= 12, `${whole.length}`);
  for (const message of whole) {
    const check = ajv.compile(JSON.parse(JSON.stringify(schemas[message.type])));
    assert.ok(check(message), `${JSON.stringify(message)}: ${JSON.stringify(check.errors)}`);
  }
});

test("the AsyncAPI document has each message, in its direction, and its references lead somewhere", () => {
  assert.equal(document.asyncapi, "3.0.0");
  const namesOf = (operation: Loose) => operation.messages.map(({ $ref }: Loose) => $ref.split("/").at(-1));
  const { hear, tell } = document.operations;
  assert.deepEqual([hear.action, namesOf(hear)], ["receive", ["heartbeat"]]);
  assert.deepEqual([tell.action, namesOf(tell)], ["send", Object.keys(serverMessages)]);
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path as string);
  assert.ok(refs.length > 20);
  for (const ref of refs) {
    assert.ok(ref.split("/").reduce((at: Loose, key) => at?.[key], document) !== undefined, ref);
  }
  for (const message of Object.values<Loose>(document.components.messages)) {
    assert.ok(message.summary && message.payload.properties.type, message.name);
  }
});
