// Values against the schema of a job's author. What JSON Schema says was checked by the server when the task was
// submitted, and is checked by it again when a result arrives; so here only Standard Schemas are asked, which may also
// fill in defaults and turn values into other values.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { AnySchema } from "./job.ts";
import type { FieldFault } from "./problem.ts";

export type Checked = { readonly value: unknown } | { readonly faults: readonly FieldFault[] };

export async function validate(schema: AnySchema<unknown> | undefined, value: unknown): Promise<Checked> {
  if (schema === undefined || !isStandardSchema(schema)) return { value };
  const checked = schema["~standard"].validate(value);
  const { issues, ...valid } = (await checked) as StandardSchemaV1.Result<unknown> & { readonly value?: unknown };
  return issues === undefined ? { value: valid.value } : { faults: issues.map(faultOf) };
}

export function isStandardSchema(schema: AnySchema<unknown>): schema is StandardSchemaV1<unknown, unknown> {
  // Those of arktype are functions.
  const standard = (schema as { readonly "~standard"?: unknown })["~standard"];
  return typeof standard === "object" && standard !== null && "validate" in standard;
}

function faultOf({ message, path = [] }: StandardSchemaV1.Issue): FieldFault {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  const pointer = keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return { pointer, detail: message };
}
