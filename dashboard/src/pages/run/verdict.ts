// What is said of a payload before it is sent, and where.

import { type FieldError, Refusal, tellProblem } from "../../api/problem.ts";

export type Payload = Record<string, unknown>;

/** What the server would say. */
export interface Check {
  readonly errors: readonly FieldError[];
  /** Null: it has not said yet. */
  readonly valid: boolean | null;
  /** Why it could not be asked. */
  readonly problem: Error | null;
}

/** What is only missing is told to whoever wanted to run it so: nobody is blamed for an empty form. */
export function errorsToShow(errors: readonly FieldError[], payload: Payload, tried: boolean): readonly FieldError[] {
  return tried ? errors : errors.filter(({ pointer }) => isThere(payload, pointer));
}

/** As in `/payload/picture`. */
function isThere(payload: Payload, pointer: string): boolean {
  let value: unknown = { payload };
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  }
  return value !== undefined;
}

/** Beside the button. Fields say themselves what is wrong with them. */
export function verdictOf({ valid, problem }: Check, shown: readonly FieldError[], hasForm: boolean): string {
  if (problem !== null) return tellProblem(problem);
  if (valid === null) return "";
  if (valid) return "The server would accept it";
  if (shown.length === 0) return "Not complete yet";
  return hasForm ? "The server would refuse it: see the fields" : refusalOf(shown[0]);
}

function refusalOf(error: FieldError | undefined): string {
  if (error === undefined) return "The server would refuse it";
  const field = error.pointer.split("/").at(-1) ?? "";
  return field === "" || error.detail.includes(field) ? error.detail : `${field} ${error.detail}`;
}

/** Refusals of a payload are on the page, beside its fields or beside the button. */
export function isOfPayload(error: unknown): boolean {
  if (!(error instanceof Refusal) || error.errors.length === 0) return false;
  return error.errors.every(({ pointer }) => /^\/payload(\/|$)/.test(pointer));
}
