// Values against the schema of a job's author. What JSON Schema says was checked by the server when the task was
// submitted, and is checked by it again when a result arrives; so here only Standard Schemas are asked, which may also
// fill in defaults and turn values into other values.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import { afterwards } from "./afterwards.ts";
import type { AnySchema } from "./job.ts";
import type { FieldFault } from "./problem.ts";

export type Checked = { readonly value: unknown } | { readonly faults: readonly FieldFault[] };

/** At once, unless the schema itself has to wait. */
export function validate(schema: AnySchema<unknown> | undefined, value: unknown): Checked | Promise<Checked> {
  if (schema === undefined || !isStandardSchema(schema)) return { value };
  const checked = schema["~standard"].validate(value);
  return afterwards(checked, checkedOf);
}

function checkedOf(checked: StandardSchemaV1.Result<unknown> & { readonly value?: unknown }): Checked {
  const { issues, value } = checked;
  return issues === undefined ? { value } : { faults: issues.map(faultOf) };
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
