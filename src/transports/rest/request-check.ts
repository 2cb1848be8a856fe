// Requests against their description. The first fault is found fast; only then, and only where the request is small,
// all of them are looked for: a hostile request must not make a million.

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { TSchema } from "typebox";
import { type FieldError, Problem } from "../../core/problem.ts";

/** Where a part of the request begins, in pointers. */
export type PartName = "/path" | "/query" | "/header" | "";

export type PartCheck = (value: unknown, size: number) => void;

const faultsMax = 20;
const smallSize = 65_536;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

const formats = {
  uuid,
  "date-time": (text: string) => dateTime.test(text) && !Number.isNaN(Date.parse(text)),
};

const shared = { strict: false, formats, useDefaults: true } as const;

/** Texts of a URL or a header are read as what they should be; a body has to say what it means. */
const readers = {
  texts: {
    first: new Ajv({ ...shared, coerceTypes: true }),
    all: new Ajv({ ...shared, coerceTypes: true, allErrors: true }),
  },
  body: { first: new Ajv(shared), all: new Ajv({ ...shared, allErrors: true }) },
};

/** Made when the first request comes: most of a server's start would go into those that nobody may ever need. */
export function partCheck(schema: TSchema, part: PartName): PartCheck {
  const { first, all } = part === "" ? readers.body : readers.texts;
  let check: ValidateFunction | null = null;
  let checkAll: ValidateFunction | null = null;
  return (value, size) => {
    check ??= first.compile(schema);
    if (check(value)) return;
    checkAll ??= all.compile(schema);
    const found = size <= smallSize && !checkAll(value) ? checkAll.errors : check.errors;
    const errors = (found ?? [])
      .filter((error) => !isAboutChoice(error))
      .slice(0, faultsMax)
      .map((error) => fault(error, part));
    const [one] = errors;
    const detail =
      one === undefined ? "The request is not as described" : `${one.pointer || "The request"} ${one.detail}`;
    throw new Problem("invalid-request", detail, { errors });
  };
}

/** Where null would do as well, what is wrong with the value is enough. */
function isAboutChoice({ keyword, params }: ErrorObject): boolean {
  return keyword === "anyOf" || (keyword === "type" && params.type === "null");
}

function fault({ instancePath, keyword, message, params }: ErrorObject, part: PartName): FieldError {
  const missing = keyword === "required" ? `/${String(params.missingProperty)}` : "";
  const detail = keyword === "enum" ? `must be one of ${(params.allowedValues as string[]).join(", ")}` : message;
  return { pointer: part + instancePath + missing, detail: missing === "" ? (detail ?? "is wrong") : "is missing" };
}
