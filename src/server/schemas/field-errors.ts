// Ajv's errors as ours: pointers that name the field itself, few, short, and each once.

import type { ErrorObject } from "ajv";
import { badField, type FieldError, type Problem } from "../../core/problem.ts";
import { pointerStep, shortPointer } from "../../protocol/json-pointer.ts";

const errorsMax = 20;
const detailLengthMax = 200;

export function fieldErrors(errors: readonly ErrorObject[], below = ""): readonly FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of errors) {
    const { step, detail } = tell(error);
    const pointer = shortPointer(`${below}${error.instancePath}${step === undefined ? "" : `/${pointerStep(step)}`}`);
    found.set(`${pointer} ${detail}`, { pointer, detail });
    if (found.size === errorsMax) break;
  }
  return [...found.values()];
}

/** A field that is missing or not wanted is named itself, instead of the object that lacks or has it. */
function tell({ keyword, params, message = "is not valid" }: ErrorObject): { step?: string; detail: string } {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  if (keyword === "required" && missingProperty !== undefined) return { step: missingProperty, detail: "is required" };
  const unwanted = additionalProperty ?? unevaluatedProperty;
  if (unwanted !== undefined) return { step: unwanted, detail: "is not allowed" };
  return {
    detail: message.length > detailLengthMax ? `${message.slice(0, detailLengthMax)}…`.toWellFormed() : message,
  };
}

/** A refusal of one place of a schema. */
export function badPlace(pointer: string, detail: string): Problem {
  return badField(shortPointer(pointer), detail);
}
