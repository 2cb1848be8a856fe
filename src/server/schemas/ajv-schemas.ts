// Users' schemas, checked and compiled by Ajv behind the port. A schema passes four gates: its size and depth, its form by
// the meta-schema, the translation into what is safe to compile, and a trial on trifles.

import { badField, type FieldError, Problem } from "../../core/problem.ts";
import type { Schemas, Validator } from "../../ports/schemas.ts";
import { readJson } from "../../protocol/json-text.ts";
import { compileValidator } from "./compile-validator.ts";
import { fieldErrors } from "./field-errors.ts";
import { linearPatterns } from "./linear-pattern.ts";
import { recentValues } from "./recent-values.ts";
import { type Dialect, dialectOf, metaSchemas } from "./schema-dialects.ts";
import { schemaFormats } from "./schema-formats.ts";
import type { SchemaPlace } from "./schema-place.ts";
import { translateSchema } from "./translate-schema.ts";
import { workMeter } from "./work-meter.ts";

export const schemaBytesMax = 64 * 1024;
export const schemaDepthMax = 32;
const recent = { countMax: 500, keyLengthMax: 4 * 1024 * 1024 };

export function ajvSchemas(): Schemas {
  const meter = workMeter();
  const patterns = linearPatterns(meter);
  const formats = schemaFormats(meter);
  const metas = metaSchemas();
  const validators = recentValues<Validator>(recent);

  function checkForm(dialect: Dialect, { node, pointer }: SchemaPlace): void {
    const check = metas.checkOf(dialect);
    if (check(node)) return;
    throw refusal(fieldErrors(check.errors ?? [], pointer));
  }

  function compile(schemaText: string): Validator {
    const root: SchemaPlace = { node: readSchema(schemaText), pointer: "/schema", resource: null };
    const dialect = dialectOf(root.node);
    if (dialect === undefined) throw badField("/schema/$schema", "must name draft 2020-12 or draft-07 of JSON Schema");
    checkForm(dialect, root);
    const form = (place: SchemaPlace) => checkForm(dialect, place);
    const translated = translateSchema(root, { dialect, metas, patterns, formats, checkForm: form });
    const compiled = attempt(() => compileValidator(translated, { dialect, meter, formats }));
    if (!compiled.isSound()) throw badField("/schema", "refers to itself without end, or takes too much work to check");
    return compiled.validate;
  }

  function validator(schemaText: string): Validator {
    const known = validators.get(schemaText);
    if (known !== undefined) return known;
    const made = compile(schemaText);
    validators.set(schemaText, made);
    return made;
  }

  return { check: (schemaText) => void validator(schemaText), validator };
}

function readSchema(schemaText: string): unknown {
  const bytes = Buffer.byteLength(schemaText, "utf8");
  if (bytes > schemaBytesMax) throw badField("/schema", `has ${bytes} bytes, at most ${schemaBytesMax} fit`);
  try {
    return readJson(schemaText, { depthMax: schemaDepthMax });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw refusal(error.errors.map(({ pointer, detail }) => ({ pointer: `/schema${pointer}`, detail })));
  }
}

function refusal(errors: readonly FieldError[]): Problem {
  const { pointer, detail } = errors[0] ?? { pointer: "/schema", detail: "is not valid" };
  return new Problem("invalid-request", `${pointer} ${detail}`, { errors });
}

/** The gates before leave little that Ajv can object to: chains of references too long for the stack, for example. */
function attempt<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    const detail = "does not compile";
    throw new Problem("invalid-request", `/schema ${detail}`, { errors: [{ pointer: "/schema", detail }], cause });
  }
}
