import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type ProblemCode, problems } from "../../src/core/problem.ts";
import { fleetRouteList } from "../../src/protocol/fleet/routes.ts";
import { openApi, problemsOf } from "../../src/protocol/openapi.ts";
import { commonProblems, type RouteSpec } from "../../src/protocol/rest/route.ts";
import { routeList } from "../../src/protocol/rest/routes.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as it comes.
type Loose = any;

const read = (name: string) => readFileSync(new URL(`../../docs/protocol/${name}`, import.meta.url), "utf8");
const rest = read("rest.md");
const pages = [
  ["rest.md", rest, routeList],
  ["fleet.md", read("fleet.md"), fleetRouteList],
] as const;
const everyRoute = [...routeList, ...fleetRouteList];
const api: Loose = JSON.parse(JSON.stringify(openApi({ version: "1.2.3", prefix: "/v1" })));
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (to: Ajv2020) => void)(ajv);

/** By title, with the text below it. */
function sections(text: string, level: string): Map<string, string> {
  const parts = text
    .split(new RegExp(`^(?=#{2,${level.length}} )`, "m"))
    .filter((part) => part.startsWith(`${level} `));
  return new Map(parts.map((part) => [part.slice(level.length + 1, part.indexOf("\n")).replaceAll("`", ""), part]));
}

/** The first two cells of each row whose first is a status. */
function statusRows(text: string): string[] {
  return [...text.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)].map(([, status, said]) => `${status} ${said}`);
}

function codeRows(codes: Iterable<readonly [number, readonly ProblemCode[]]>): string[] {
  return [...codes].map(([status, all]) => `${status} ${all.map((code) => `\`${code}\``).join(", ")}`);
}

function ownProblems(spec: RouteSpec): string[] {
  const own = [...problemsOf(spec)].map(
    ([status, codes]) => [status, codes.filter((code) => spec.problems.includes(code))] as const,
  );
  return codeRows(own.filter(([, codes]) => codes.length > 0));
}

for (const [name, page, list] of pages) {
  test(`${name} has each route, and no other`, () => {
    const written = [...sections(page, "###").keys()];
    assert.deepEqual(written.sort(), list.map(({ method, path }) => `${method} ${path}`).sort());
  });
}

const described = pages.flatMap(([name, page, list]) => list.map((spec) => [name, page, spec] as const));

for (const [name, page, spec] of described) {
  test(`${name} tells of ${spec.id} what the code says: statuses, problems and fields`, () => {
    const text = sections(page, "###").get(`${spec.method} ${spec.path}`) ?? "";
    assert.match(text, new RegExp(`\\(\`${spec.id}\`\\)`));
    const rows = statusRows(text);
    const good = rows.filter((row) => /^[23]/.test(row)).map((row) => row.slice(0, 3));
    assert.deepEqual(good, Object.keys(spec.answers));
    assert.deepEqual(
      rows.filter((row) => !/^[23]/.test(row)),
      ownProblems(spec),
    );
    const fields = [...text.matchAll(/^\| (query|header|body) \| `([^`]+)` \|/gm)].map(
      ([, place, name]) => `${place} ${name}`,
    );
    const described = (["query", "headers", "body"] as const).flatMap((part) =>
      Object.keys((spec[part] as Loose)?.properties ?? {})
        .filter((name) => part !== "query" || (name !== "limit" && name !== "offset"))
        .map((name) => `${part.replace("headers", "header")} ${name}`),
    );
    assert.deepEqual(fields, described);
    for (const header of Object.values(spec.answers).flatMap(({ headers }) => Object.keys(headers ?? {}))) {
      assert.ok(text.includes(`\`${header}\``), header);
    }
  });
}

test("rest.md has the problems that any route may answer with", () => {
  const general = sections(rest, "##").get("Answers") ?? "";
  assert.deepEqual(statusRows(general), codeRows(problemsOf({ problems: [] })));
  assert.equal(new Set(commonProblems).size, commonProblems.length);
});

test("problems.md has each problem with its status and whether to retry, and no other", () => {
  const written = sections(read("problems.md"), "##");
  assert.deepEqual([...written.keys()], Object.keys(problems));
  for (const [code, { status, retry }] of Object.entries(problems)) {
    const said = `${status}, ${retry ? "retry" : "no retry"}. `;
    assert.ok(written.get(code)?.includes(`\n\n${said}`), `${code}: ${said}`);
  }
});

test("links and codes in rest.md lead somewhere", () => {
  for (const [, code] of rest.matchAll(/40\d `([a-z-]+)`/g)) assert.ok(code !== undefined && code in problems, code);
  assert.ok(rest.includes("](problems.md)"));
});

test("every example fits its schema, in requests and in answers", () => {
  let seen = 0;
  for (const spec of everyRoute) {
    const pairs: [string, Loose, unknown][] = [
      [`${spec.id} body`, spec.body, spec.example],
      ...Object.entries(spec.answers).map(([status, { schema, example }]): [string, Loose, unknown] => [
        `${spec.id} ${status}`,
        schema,
        example,
      ]),
    ];
    for (const [what, schema, example] of pairs) {
      if (schema === undefined || example === undefined) continue;
      const check = ajv.compile(JSON.parse(JSON.stringify(schema)));
      assert.ok(check(example), `${what}: ${JSON.stringify(check.errors)}`);
      seen += 1;
    }
  }
  assert.ok(seen > everyRoute.length, `${seen} examples`);
});

test("every route that takes a body shows one, and every answer with a body does", () => {
  for (const { id, body, example, answers } of everyRoute) {
    assert.equal(example !== undefined, body !== undefined, id);
    for (const [status, answer] of Object.entries(answers)) {
      const isShown =
        answer.example !== undefined || answer.schema === undefined || answer.type === "text/event-stream";
      assert.ok(isShown, `${id} ${status} has no example`);
    }
  }
});

const operations: [string, Loose][] = Object.entries<Loose>(api.paths).flatMap(([path, methods]) =>
  Object.values<Loose>(methods).map((operation): [string, Loose] => [path, operation]),
);

test("the OpenAPI document has what 3.1 asks for", () => {
  assert.match(api.openapi, /^3\.1\.\d+$/);
  assert.ok(api.info.title !== "" && api.info.version === "1.2.3");
  const ids = operations.map(([, { operationId }]) => operationId);
  assert.equal(new Set(ids).size, ids.length, "operationIds are unique");
  assert.equal(ids.length, everyRoute.length);
  const tags = api.tags.map(({ name }: { name: string }) => name);
  for (const [path, { tags: used, responses, parameters, operationId, requestBody }] of operations) {
    assert.match(path, /^(\/([\w.-]+|\{\w+\}))+$/);
    assert.ok(
      used.every((tag: string) => tags.includes(tag)),
      operationId,
    );
    assert.ok(
      Object.keys(responses).every((status) => /^[2-5]\d\d$/.test(status)) && Object.keys(responses).length > 0,
    );
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = parameters.filter((each: Loose) => each.in === "path");
    assert.deepEqual(inPath.map(({ name }: Loose) => name).sort(), named.sort(), operationId);
    assert.ok(
      inPath.every(({ required }: Loose) => required === true),
      operationId,
    );
    const keys = parameters.map((each: Loose) => `${each.in} ${each.name}`);
    assert.equal(new Set(keys).size, keys.length, operationId);
    assert.ok(
      parameters.every(({ schema }: Loose) => typeof schema === "object"),
      operationId,
    );
    for (const type of Object.keys(requestBody?.content ?? {})) {
      assert.equal(type, operationId === "uploadResult" ? "*/*" : "application/json", operationId);
      assert.ok(requestBody.content[type].schema, operationId);
    }
  }
});

test("references in the OpenAPI document lead somewhere, and its schemas compile", () => {
  const at = (reference: string) =>
    reference
      .slice(2)
      .split("/")
      .reduce((node, key) => node?.[key], api);
  let schemas = 0;
  const walk = (node: Loose, key: string): void => {
    if (node === null || typeof node !== "object") return;
    if (typeof node.$ref === "string") assert.ok(node.$ref.startsWith("#/") && at(node.$ref) !== undefined, node.$ref);
    else if (key === "schema") {
      ajv.compile(node);
      schemas += 1;
    }
    for (const [name, child] of Object.entries(node)) if (key !== "schema") walk(child, name);
  };
  walk(api, "");
  assert.ok(schemas > 50);
  for (const { description } of Object.values<Loose>(api.components.responses)) assert.notEqual(description, "");
});
