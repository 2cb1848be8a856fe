// Requests by the description of an operation, and some that no description knows.

import * as fc from "fast-check";
import type { Operation, Parameter } from "./described.ts";
import { markOf, marks, nastyTexts, valuesBy } from "./values.ts";

/** With marks in place of ids. */
export interface Draft {
  /** Its id; null where none is meant. */
  readonly operation: string | null;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Chooses who asks, and what the marks are replaced by. */
  readonly who: number;
  readonly what: number;
}

export function drafts(operations: readonly Operation[]): fc.Arbitrary<Draft> {
  const each = operations.map((operation) => described(operation));
  return fc.oneof({ weight: 30, arbitrary: fc.oneof(...each) }, { weight: 1, arbitrary: strays(operations) });
}

function described(operation: Operation): fc.Arbitrary<Draft> {
  const { method, parameters, body } = operation;
  const values = Object.fromEntries(
    parameters.map((each) => [
      `${each.in} ${each.name}`,
      each.required ? value(each) : fc.option(value(each), { nil: undefined }),
    ]),
  );
  const given = {
    who: fc.nat(),
    what: fc.nat(),
    values: fc.record(values),
    body: body === null ? noBody : bodyOf(body),
  };
  return fc.record(given).map(({ who, what, values: chosen, body: said }) => {
    const named = (place: Parameter["in"]) =>
      parameters.flatMap(({ name, in: where }) => {
        const text = chosen[`${place} ${name}`];
        return where !== place || text === undefined ? [] : [[name, text] as const];
      });
    const path = named("path").reduce(
      (at, [name, text]) => at.replace(`{${name}}`, () => pathText(text)),
      operation.path,
    );
    const query = named("query").map(([name, text]) => `${name}=${encoded(text)}`);
    const headers = Object.fromEntries(named("header").map(([name, text]) => [name, headerText(text)]));
    const target = query.length === 0 ? path : `${path}?${query.join("&")}`;
    return { operation: operation.id, method, target, headers, body: said, who, what };
  });
}

function value({ schema, name, in: place }: Parameter): fc.Arbitrary<string> {
  if (name === "prefer") return fc.constantFrom("", "wait=0", "wait=-1", "wait=x", "WAIT=9", "respond-async", "wait");
  const plain = valuesBy(schema, name).map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  // An empty part of a path is another path, and so is one with a route's last word in it.
  return place === "path"
    ? plain.filter((text) => text !== "" && !/\/(tasks|schema|info|versions|push-secret)$/.test(text))
    : plain;
}

const noBody = fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.string() });

function bodyOf(schema: Operation["body"]): fc.Arbitrary<string | undefined> {
  const good = valuesBy(schema ?? {}).map((each) => JSON.stringify(each));
  return fc.oneof(
    { weight: 30, arbitrary: good },
    { weight: 1, arbitrary: fc.constantFrom(undefined, "", "null", "[]", "{", "{}}", '{"a":1e999}', "[".repeat(300)) },
    { weight: 1, arbitrary: good.chain((text) => fc.nat({ max: text.length }).map((at) => text.slice(0, at))) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  );
}

/** Paths, methods and headers that nobody described. */
function strays(operations: readonly Operation[]): fc.Arbitrary<Draft> {
  const parts = fc.oneof(
    fc.constantFrom(
      ...new Set(operations.flatMap(({ path }) => path.split("/")).filter((part) => !part.includes("{"))),
    ),
    fc.constantFrom(...nastyTexts, ...marks.map(markOf)).map(encoded),
    fc.constantFrom("", ".", "..", "%", "%zz", "%00", "%c0%af", "%ff", "*", "?", "//", ";a=b", "\\"),
  );
  const target = fc.array(parts, { maxLength: 6 }).map((all) => `/${all.join("/")}`);
  const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY");
  return fc.record({ target, method, who: fc.nat(), what: fc.nat(), body: noBody }).map((stray) => ({
    ...{ operation: null, headers: {}, ...stray },
    target: stray.target.replaceAll(/[^!-~\u00ab\u00bb]/g, ""),
  }));
}

function pathText(text: string): string {
  return encoded(text);
}

/** As a careful client would write it; a text that is not well-formed has no such form. */
function encoded(text: string): string {
  const safe = text.toWellFormed();
  return encodeURIComponent(safe).replaceAll("%C2%AB", "\u00ab").replaceAll("%C2%BB", "\u00bb");
}

/** What a header can carry at all. */
function headerText(text: string): string {
  return text.replaceAll(/[^ -~\u00ab\u00bb]/g, "?").trim();
}

export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.includes("\u00ab")
    ? text.replaceAll(/\u00ab(\w+)\u00bb/g, (whole, mark: string) => values[mark] ?? whole)
    : text;
}
