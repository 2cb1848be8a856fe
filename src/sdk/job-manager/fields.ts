// A class's fields and the JSON that travels: its schema, and an instance made of a payload.

import { Fail } from "../ending.ts";
import type { JsonSchema } from "../job.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import type { FieldFault } from "../problem.ts";
import { validate } from "../validate.ts";
import type { Extension, ExtensionClass } from "./extension.ts";

/** What the server checks payloads against when they are submitted. */
export function schemaOf(extension: ExtensionClass): JsonSchema {
  return extension.schema === undefined ? fieldSchema(new extension()) : jsonSchemaOf(extension.schema, "input");
}

/** Throws a failure that names the fields. */
export async function extensionFrom<E extends Extension>(type: ExtensionClass<E>, payload: object): Promise<E> {
  const extension = new type();
  const checked =
    type.schema === undefined ? checkFields(extension, payload) : await validate(type.schema, structuredClone(payload));
  if ("faults" in checked) throw misfit(checked.faults);
  for (const [key, value] of Object.entries(checked.value as object)) {
    // A payload is data: it replaces no method, and no prototype.
    if (!(key in type.prototype)) Object.assign(extension, { [key]: value });
  }
  return extension;
}

/** What an instance would be submitted as. */
export function payloadOf(extension: Extension): Record<string, unknown> {
  return { ...extension };
}

function fieldSchema(sample: Extension): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(sample).map(([key, value]) => {
      const type = jsonType(value);
      return [key, { ...(type !== null && { type }), ...(value !== undefined && { default: value }) }];
    }),
  );
  return { type: "object", properties };
}

/** What is no field of the class is left out. */
function checkFields(sample: Extension, payload: object): { value: object } | { faults: readonly FieldFault[] } {
  const given = Object.entries(payload).filter(([key]) => Object.hasOwn(sample, key));
  const faults = given.flatMap(([key, value]) => {
    const type = jsonType(sample[key as keyof Extension]);
    return type === null || type === jsonType(value) ? [] : [{ pointer: pointerTo(key), detail: `must be ${type}` }];
  });
  return faults.length > 0 ? { faults } : { value: Object.fromEntries(given) };
}

/** Null for what says nothing about what may stand in its place. */
function jsonType(value: unknown): string | null {
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  if (type === "number" || type === "string" || type === "boolean") return type;
  return type === "object" && value !== null ? "object" : null;
}

function pointerTo(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function misfit(faults: readonly FieldFault[]): Fail {
  const fields = faults.map(({ pointer, detail }) => `${pointer === "" ? "it" : pointer} ${detail}`).join("; ");
  const details = { errors: faults };
  return new Fail(`The payload does not fit: ${fields}`, { code: "invalid-input", details, retryable: false });
}
