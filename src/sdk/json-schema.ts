// The JSON Schema of what a job takes and answers, as far as it can be said: the server checks payloads by it before
// they cost anyone anything. What cannot be said is checked in the worker alone.

import type { AnySchema, JsonSchema } from "./job.ts";
import { isStandardSchema } from "./validate.ts";

export type Side = "input" | "output";

/** Draft 2020-12; `{}` where the schema cannot say it. */
export function jsonSchemaOf(schema: AnySchema<unknown> | undefined, side: Side): JsonSchema {
  if (schema === undefined) return {};
  if (!isStandardSchema(schema)) return schema;
  const { $schema: _, ...said } = writtenBy(schema as Spoken, side) ?? {};
  return said;
}

const draft = "draft-2020-12";

/** The ways in which schemas of today tell their JSON Schema. */
interface Spoken {
  readonly "~standard": {
    readonly jsonSchema?: { readonly [S in Side]: (options: { readonly target: string }) => JsonSchema };
  };
  /** Of zod. */
  toJSONSchema?(options: { readonly io: Side; readonly target: string }): JsonSchema;
  /** Of arktype. */
  toJsonSchema?(): JsonSchema;
}

function writtenBy(schema: Spoken, side: Side): JsonSchema | undefined {
  try {
    const standard = schema["~standard"].jsonSchema;
    if (standard !== undefined) return standard[side]({ target: draft });
    return schema.toJSONSchema?.({ io: side, target: draft }) ?? schema.toJsonSchema?.();
  } catch {
    // Dates, transforms and the like have no JSON Schema, and their libraries say so by throwing.
    return undefined;
  }
}

/** The same without `pattern`, of which the server takes only those that cannot be made to run for ever. */
export function withoutPatterns(schema: JsonSchema): JsonSchema {
  return strip(schema) as JsonSchema;
}

/** Keywords under which names are the author's, not the draft's. */
const named = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];

function strip(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((each) => strip(each));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNamed || (key !== "pattern" && key !== "patternProperties"));
  return Object.fromEntries(kept.map(([key, each]) => [key, strip(each, !isNamed && named.includes(key))]));
}
