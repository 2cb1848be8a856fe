// Forms need to know which of several schemas fits what was typed. The usual validators compile schemas into code, which
// the Content-Security-Policy forbids; this one interprets them. Whether a payload is good is the server's to say.

import { type Schema, Validator } from "@cfworker/json-schema";
import { ErrorSchemaBuilder, type RJSFSchema, type ValidationData, type ValidatorType } from "@rjsf/utils";

export const interpretedValidator: ValidatorType = {
  validateFormData: (): ValidationData<unknown> => ({ errors: [], errorSchema: {} }),
  isValid: (schema, data, root) => fits(schema, data, root),
  rawValidation: (schema, data) => ({ errors: errorsOf(schema, data) as never[] }),
};

function fits(schema: RJSFSchema, data: unknown, root: RJSFSchema): boolean {
  try {
    const defs = { $defs: root["$defs"], definitions: root.definitions };
    const whole = { ...defs, ...schema } as unknown as Schema;
    return new Validator(whole, "2020-12", true).validate(data).valid;
  } catch {
    return false;
  }
}

function errorsOf(schema: RJSFSchema, data: unknown): readonly { readonly message: string }[] {
  return new Validator(schema as unknown as Schema, "2020-12")
    .validate(data)
    .errors.map(({ error }) => ({ message: error }));
}

/** What the server found, in the shape that forms show beside their fields. */
export function besideFields(errors: readonly { readonly pointer: string; readonly detail: string }[]) {
  const builder = new ErrorSchemaBuilder();
  for (const { pointer, detail } of errors) {
    const path = pointer
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    builder.addErrors(detail, path[0] === "payload" ? path.slice(1) : path);
  }
  return builder.ErrorSchema;
}
